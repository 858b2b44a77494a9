// SPDX-License-Identifier: Apache-2.0
// Where gradients are exactly zero.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"
#include "reference/visible_pairs.hpp"

namespace attestone {
namespace {

/// The first element of the row that is not zero, as evidence; empty if there is none.
std::string not_zero(std::string_view name, const ConstView& gradient, const Pair& row, const char* why) {
  for (index c = 0; c < gradient.extents()[3] && gradient.exists(); ++c) {
    const double got = gradient.value(row.batch, row.head, row.query, c);
    if (!(got == 0))
      return fmt::format("{}[b{}, h{}, {}, c{}] is {:.9g}, not 0: {}", name, row.batch, row.head, row.query, c, got,
                         why);
  }
  return {};
}

/// Whether NaN is right as well in some element of the row: 0 times a NaN of dO, say.
bool admits_nan(const CertifiedTensor& truth, index batch, index head, index row) {
  for (index c = 0; c < truth.extents()[3]; ++c)
    if (truth.at(batch, head, row, c).non_finite != NonFinite::wrong) return true;
  return false;
}

/// Rows of dQ whose query sees nothing.
std::string of_empty_rows(const Shape& shape, const VisiblePairs& visible, const CertifiedTensor& truth,
                          const ConstView& dquery) {
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.heads; ++h)
      for (index i = 0; i < dquery.rows(b); ++i) {
        if (visible.count(b, h, i) > 0 || admits_nan(truth, b, h, i)) continue;
        const std::string wrong = not_zero("dquery", dquery, {b, h, i, 0}, "the query sees no key");
        if (!wrong.empty()) return wrong;
      }
  return {};
}

bool unseen(const Shape& shape, const VisiblePairs& visible, index batch, index kv_head, index key) {
  const index group = shape.heads / shape.kv_heads;
  for (index h = kv_head * group; h < (kv_head + 1) * group; ++h)
    for (index i = 0; i < shape.queries; ++i)
      if (visible({batch, h, i, key})) return false;
  return true;
}

/// Rows of dK and dV whose key nobody sees.
std::string of_unseen_keys(const Shape& shape, const VisiblePairs& visible, const GradientTruth& truth,
                           const Gradients& gradients) {
  const char* why = "no query sees the key";
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.kv_heads; ++h)
      for (index j = 0; j < gradients.key.view().rows(b); ++j) {
        if (!unseen(shape, visible, b, h, j) || admits_nan(truth.key, b, h, j)) continue;
        std::string wrong = not_zero("dkey", gradients.key.view(), {b, h, j, 0}, why);
        if (wrong.empty()) wrong = not_zero("dvalue", gradients.value.view(), {b, h, j, 0}, why);
        if (!wrong.empty()) return wrong;
      }
  return {};
}

/// Whether neither NaN nor infinities reach an element of the row, and no intermediate overflows.
bool is_bounded(const ComparedGradient& gradient, index batch, index head, index row) {
  for (index c = 0; c < gradient.truth.extents()[3]; ++c) {
    const Certified& truth = gradient.truth.at(batch, head, row, c);
    if (!std::isfinite(truth.value) || std::isinf(truth.bound) || truth.non_finite != NonFinite::wrong) return false;
    if (std::isinf(gradient.bounds.deterministic(batch, head, row, c))) return false;
  }
  return true;
}

/// Rows of the gradients for a dout that is zero everywhere.
std::string of_silence(Trial& trial) {
  Inputs silent = trial.inputs();
  silent.dout->fill_code(0);
  const Gradients gradients = trial.backward().run(silent, trial.answer().outputs).gradients;
  for (const ComparedGradient& gradient :
       compared_gradients(trial.backward().truth(), trial.backward().bounds(), gradients)) {
    const auto& [batches, heads, rows, channels] = gradient.truth.extents();
    for (index b = 0; b < batches; ++b)
      for (index h = 0; h < heads; ++h)
        for (index r = 0; r < std::min(rows, gradient.got.view().rows(b)); ++r) {
          if (!is_bounded(gradient, b, h, r)) continue;
          std::string wrong =
              not_zero(text(gradient.tensor), gradient.got.view(), {b, h, r, 0}, "dout is zero everywhere");
          if (!wrong.empty()) return wrong;
        }
  }
  return {};
}

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const VisiblePairs visible(problem, trial.inputs());
  const Gradients& gradients = trial.backward().answer().gradients;
  const GradientTruth& truth = trial.backward().truth();
  std::string wrong = of_empty_rows(problem.shape, visible, truth.query, gradients.query.view());
  if (wrong.empty()) wrong = of_unseen_keys(problem.shape, visible, truth, gradients);
  if (wrong.empty()) wrong = of_silence(trial);
  return wrong.empty() ? Verdict::passed() : Verdict::failed("gradient-not-zero", wrong);
}

const Registration<Property> registered{{
    .name = "gradient_zeros",
    .claim = "gradients are exactly 0 for queries that see nothing, for keys that nobody sees, and for a zero dout",
    .inapplicable = without_gradients,
    .check = check,
}};

}  // namespace
}  // namespace attestone
