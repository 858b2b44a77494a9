// SPDX-License-Identifier: Apache-2.0
// A tile without a visible key before the first that has one.
#include "conformance/diagnosis/kinds/kind.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// Rows that see the last keys only, said by a window and by bytes, against causal and full ones of the same extents.
Alternatives predictions(const Evidence& evidence) {
  if (!evidence.has(ProblemFeature::Of::mask)) return {};
  Problem problem = evidence.base;
  problem.shape.queries = 64, problem.shape.keys = 192;
  problem.lengths.clear(), problem.query_lengths.clear();
  const auto under = [&](const Mask& mask, std::uint64_t seed) {
    problem.mask = mask;
    return fresh_inputs(problem, seed);
  };
  const Mask window("window", {16, 0}), bytes = ~Mask("prefix", {64}) | Mask("window", {0, 0});
  return {{{under(Mask(), 211), Of::passes},
           {under(Mask("causal"), 212), Of::passes},
           {under(window, 213), Of::fails},
           {under(bytes, 214), Of::fails}}};
}

const Registration<KindOfFault> registered{{
    .name = "first_tile_hidden",
    .says = "a row goes wrong if the first tile of keys that is visited hides all of its keys from it",
    .look_at = "maximum and sum of a row that has seen no key yet: minus infinity less minus infinity",
    .predictions = predictions,
}};

}  // namespace
}  // namespace attestone
