// SPDX-License-Identifier: Apache-2.0
// A tile without a visible key before the first that has one.
#include "conformance/diagnosis/kinds/kind.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// Rows of which the first tile is hidden, by a window and by what is none, against full and causal ones of the same
/// extents, and a window within one tile.
Alternatives predictions(const FailureFacts& evidence) {
  if (!evidence.has(ProblemFeature::Of::mask)) return {};
  Problem problem = evidence.base;
  problem.shape.batch = 1, problem.shape.queries = 160, problem.shape.keys = 192;
  problem.lengths.clear(), problem.query_lengths.clear();
  Problem short_rows = problem;
  short_rows.shape.queries = short_rows.shape.keys = 8;
  short_rows.mask = Mask("window", {2, 0});
  const auto under = [&](const Mask& mask, std::uint64_t seed) {
    problem.mask = mask;
    return fresh_inputs(problem, seed);
  };
  const Mask window("window", {16, 0}), behind = ~Mask("causal:top_left");
  return {{{under(Mask(), 211), Of::passes},
           {under(Mask("causal"), 212), Of::passes},
           {fresh_inputs(short_rows, 215), Of::passes},
           {under(window, 213), Of::fails},
           {under(behind, 214), Of::fails}}};
}

const Registration<KindOfFault> registered{{
    .name = "first_tile_hidden",
    .says = "a row goes wrong if the first tile of keys that is visited hides all of its keys from it",
    .look_at = "maximum and sum of a row that has seen no key yet: minus infinity less minus infinity",
    .predictions = predictions,
}};

}  // namespace
}  // namespace attestone::inline conformance
