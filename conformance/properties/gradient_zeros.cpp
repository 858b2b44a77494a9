// SPDX-License-Identifier: Apache-2.0
// Where gradients are exactly zero.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "conformance/properties/property.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {
namespace {

/// The rows of one gradient, read to see whether they are zero.
class ReadGradient {
 public:
  ReadGradient(std::string_view name, const ConstView& gradient)
      : name_(name), reader_(gradient), row_(static_cast<std::size_t>(gradient.exists() ? gradient.extents()[3] : 0)) {}

  /// The first element of the row that is not zero, as evidence; empty if there is none.
  std::string not_zero(index batch, index head, index row, const char* why) {
    reader_.read(batch, head, row, row_);
    const auto wrong = std::ranges::find_if_not(row_, [](double got) { return got == 0; });
    if (wrong == row_.end()) return {};
    return fmt::format("{}[b{}, h{}, {}, c{}] is {:.9g}, not 0: {}", name_, batch, head, row, wrong - row_.begin(),
                       *wrong, why);
  }

 private:
  std::string_view name_;
  RowReader reader_;
  std::vector<double> row_;
};

/// True if NaN is right as well in some element of the row: 0 times a NaN of dO, say.
bool admits_nan(const CertifiedTensor& truth, index batch, index head, index row) {
  for (index c = 0; c < truth.extents()[3]; ++c)
    if (truth.at(batch, head, row, c).non_finite != NonFinite::wrong) return true;
  return false;
}

/// Rows of dQ whose query sees nothing.
std::string of_empty_rows(const Shape& shape, const VisiblePairs& visible, const CertifiedTensor& truth,
                          const ConstView& gradient) {
  ReadGradient dquery("dquery", gradient);
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.heads; ++h)
      for (index i = 0; i < gradient.rows(b); ++i) {
        if (visible.count(b, h, i) > 0 || admits_nan(truth, b, h, i)) continue;
        const std::string wrong = dquery.not_zero(b, h, i, "the query sees no key");
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
  ReadGradient dkey("dkey", gradients.key.view()), dvalue("dvalue", gradients.value.view());
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.kv_heads; ++h)
      for (index j = 0; j < gradients.key.view().rows(b); ++j) {
        if (!unseen(shape, visible, b, h, j) || admits_nan(truth.key, b, h, j)) continue;
        std::string wrong = dkey.not_zero(b, h, j, why);
        if (wrong.empty()) wrong = dvalue.not_zero(b, h, j, why);
        if (!wrong.empty()) return wrong;
      }
  return {};
}

/// True if neither NaN nor infinities reach an element of the row, and no intermediate overflows.
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
    ReadGradient got(text(gradient.tensor), gradient.got.view());
    const auto& [batches, heads, rows, channels] = gradient.truth.extents();
    for (index b = 0; b < batches; ++b)
      for (index h = 0; h < heads; ++h)
        for (index r = 0; r < std::min(rows, gradient.got.view().rows(b)); ++r) {
          if (!is_bounded(gradient, b, h, r)) continue;
          std::string wrong = got.not_zero(b, h, r, "dout is zero everywhere");
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
}  // namespace attestone::inline conformance
