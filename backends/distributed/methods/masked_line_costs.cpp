// SPDX-License-Identifier: Apache-2.0
// The traffic and memory of a masked line: in each of R steps a shard to each neighbour, and five shards.
#include "backends/distributed/methods/masked_line.hpp"
#include "backends/distributed/methods/ring_costs.hpp"

namespace attestone::inline backends {

/// Own keys to the end, and of either way keys that are here and keys that come, beyond the ends as many as the last
/// place has.
void masked_line_forward_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant,
                               RankCosts& costs) {
  const DType& in = rank.problem.input;
  const index lower = rank.ring_place, higher = rank.ring - 1 - lower;
  const Moment stays = own.held_query() + own.held_shard(0) + merged_sums(own, variant);
  for (index step = 0; step < rank.ring; ++step) {
    Moment now = stays;
    for (const index direction : {1, -1}) {
      const index behind = direction > 0 ? lower : higher, ahead = rank.ring - 1 - behind;
      const auto at = [&](index distance) { return own.key_values(direction * std::min(distance, behind), in); };
      if (ahead > 0) costs.send(messages_of(variant), at(step));
      if (step > 0) now.push_back({"KV", at(step)});
      now.push_back({"KV", at(step + 1)});
    }
    if (step == 0) costs.hold(now + merged_part(rank, own.part_rows(0), variant));
    if (step > 0 && step <= lower) costs.hold(now + merged_part(rank, own.part_rows(step), variant));
    if (step > 0 && step <= higher) costs.hold(now + merged_part(rank, own.part_rows(-step), variant));
    // Masked parts have all queries, and keys of the own place.
    if (step > std::min(lower, higher)) costs.hold(now + merged_part(rank, own.part_rows(0), variant));
  }
  hold_merged_answer(rank, own, variant, costs);
}

}  // namespace attestone::inline backends
