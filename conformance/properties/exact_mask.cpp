// SPDX-License-Identifier: Apache-2.0
// The identity in V reads weights back: those of hidden keys are 0, the others are not.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "conformance/conventions/empty_rows.hpp"
#include "conformance/diagnosis/probes/effective_mask.hpp"
#include "conformance/properties/property.hpp"
#include "reference/call/dropout.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {
namespace {

// V holds as many columns of the identity as it has channels; more calls than these are not worth their time.
constexpr index most_calls = 4;

/// The first columns of the calls: the first and the last ones, and seeded ones between.
std::set<index> first_columns(const Problem& problem) {
  const index width = problem.shape.value_dim, parts = (problem.shape.keys + width - 1) / width;
  std::set<index> firsts{0, (parts - 1) * width};
  for (index n = 2; n < most_calls; ++n)
    firsts.insert(width * draw_for(problem, {TensorName::value, 0, 0, 0, n}).integer(0, parts - 1));
  return firsts;
}

std::string inapplicable(const Problem& problem) {
  if (problem.shape.queries == 0) return "no queries";
  return problem.shape.keys == 0 ? "no keys" : "";
}

/// Biases and sinks may leave a visible key a weight that no format can tell from 0.
bool keeps_weight(const Problem& problem, index visible) {
  if (problem.score.has_bias() || problem.score.has_sink()) return false;
  const double smallest = std::max(problem.input.underflow(), problem.output.underflow());
  return 1 / static_cast<double>(visible) > 8 * smallest;
}

Verdict check(Trial& trial) {
  if (trial.numerics().value.codes.centring != Centring::none)
    return Verdict::inconclusive("weak-case", "O is given a mean back, which hidden keys have their part in");
  const Problem& problem = trial.problem();
  const Shape& s = problem.shape;
  const Dropout dropout(problem);
  Inputs inputs = weights_shown(problem, 0);
  const VisiblePairs visible(problem, inputs);
  std::vector<double> weights(static_cast<std::size_t>(s.value_dim));
  for (const index first : first_columns(problem)) {
    if (first > 0) show_weights(inputs, first);
    const KernelAnswer answer = trial.run(inputs);
    const ConstView out = answer.outputs.out.view();
    const RowReader reader(out);
    for (index b = 0; b < s.batch; ++b)
      for (index h = 0; h < s.heads; ++h)
        for (index i = 0; i < out.rows(b); ++i) {
          if (is_conventional(trial.conventions().empty_rows, inputs, visible, b, h, i)) continue;
          const bool weighs = keeps_weight(problem, visible.count(b, h, i));
          const std::span<const std::uint8_t> sees = visible.row(b, h, i);
          reader.read(b, h, i, weights);
          for (index j = first; j < std::min(s.keys, first + s.value_dim); ++j) {
            const bool is_seen = sees[static_cast<std::size_t>(j)] != 0;
            const bool takes_part = is_seen && (!dropout || dropout.keeps({b, h, i, j}));
            const double weight = weights[static_cast<std::size_t>(j - first)];
            if (takes_part ? !weighs || weight > 0 : weight == 0) continue;
            return Verdict::failed(
                "wrong-mask", fmt::format("with tied scores key {} has weight {:.9g} in b{}, h{}, q{}, which {}", j,
                                          weight, b, h, i, takes_part ? "sees it" : "does not see it"));
          }
        }
  }
  return Verdict::passed();
}

const Registration<Property> registered{{
    .name = "exact_mask",
    .claim =
        "with tied scores and the identity in V, O holds the weights: exactly 0 for keys that are hidden or dropped, "
        "and more than 0 for all others",
    .inapplicable = inapplicable,
    .check = check,
    .needs = {TensorName::out},
}};

}  // namespace
}  // namespace attestone::inline conformance
