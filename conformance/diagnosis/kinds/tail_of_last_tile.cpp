// SPDX-License-Identifier: Apache-2.0
// The rows behind the last whole tile of keys or queries.
#include "conformance/diagnosis/kinds/kind.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// By the number of keys or queries: whole tiles pass, a tile and a part of one fails.
Alternatives predictions(const FailureFacts& evidence) {
  constexpr index least_tile = 8;
  // Where sequences begin may be what is wrong, or in tiles of several heads which of them a row belongs to.
  if (evidence.has(ProblemFeature::Of::layout) || evidence.on("heads / kv_heads")) return {};
  Alternatives all;
  for (const Condition& condition : evidence.conditions) {
    const index tile = condition.number;
    const bool in_tiles =
        condition.form == Condition::Form::no_multiple || condition.form == Condition::Form::above_no_multiple;
    const bool of_rows = condition.variable->name == "keys" || condition.variable->name == "queries";
    if (!in_tiles || !of_rows || tile < least_tile) continue;
    const auto of = [&](index extent, std::uint64_t seed) {
      return fresh_inputs(with(evidence.base, *condition.variable, extent), seed);
    };
    all.push_back({{of(3 * tile, 201), Of::passes},
                   {of(3 * tile + 1, 202), Of::fails},
                   {of(5 * tile, 203), Of::passes},
                   {of(5 * tile - 1, 204), Of::fails}});
  }
  return all;
}

const Registration<KindOfFault> registered{{
    .name = "tail_of_last_tile",
    .says = "what stands behind the last whole tile is lost, taken twice, or not masked",
    .look_at = "the bounds of the loop over tiles, and the mask of the last one",
    .predictions = predictions,
}};

}  // namespace
}  // namespace attestone::inline conformance
