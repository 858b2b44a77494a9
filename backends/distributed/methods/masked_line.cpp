// SPDX-License-Identifier: Apache-2.0
// Masked line (hops=to_both_ends): keys go towards both ends of a line, and what lies beyond the ends is masked.
#include "backends/distributed/methods/masked_line.hpp"

#include <array>

#include "backends/distributed/methods/line_way.hpp"
#include "backends/distributed/methods/merge_costs.hpp"
#include "backends/distributed/rank/running_answer.hpp"

namespace attestone::inline backends {
namespace {

/// All pairs of queries and keys that are held, none of them visible.
std::vector<SequenceBlock> masked_blocks(const HeldRows& queries, const HeldRows& keys) {
  std::vector<SequenceBlock> blocks;
  for (index sequence = 0; sequence < queries.sequences(); ++sequence) {
    const index rows = queries.count(sequence), columns = keys.count(sequence);
    if (rows == 0 || columns == 0) continue;
    SequenceBlock block;
    block.sequence = sequence;
    block.queries = {0, rows - 1};
    block.keys = {0, columns - 1};
    block.seen = Seen::some;
    block.bytes.assign(static_cast<std::size_t>(rows * columns), 0);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace

Task<RankAnswer> masked_line_forward(Rank& rank, RankInputs held, RingVariant variant) {
  const index R = rank.ring.size();
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  const HeldRows& own_rows = rank.keys.of_ring(rank.ring.place);
  KeyValue own(std::move(held.key), std::move(held.value));
  std::array<LineStream, 2> streams{LineStream{LineWay(rank, 1)}, LineStream{LineWay(rank, -1)}};
  const auto answer = running_answer(variant.merge, rank, queries, *variant.part);
  const auto attend = [&](const std::vector<SequenceBlock>& blocks, const HeldRows& rows, const KeyValue& keys) {
    if (!blocks.empty()) answer->take_in(blocks, queries, {rows, keys.key, keys.value});
  };
  for (index step = 0; step < R; ++step) {
    for (LineStream& stream : streams)
      stream.next = stream.way.rotate(step == 0 ? own : *stream.current, step + 1, variant.messages);
    if (step == 0) attend(rank.attention.blocks(queries, own_rows), own_rows, own);
    for (LineStream& stream : streams) {
      if (step == 0) continue;
      if (!stream.way.has(step)) {
        attend(masked_blocks(queries.rows, own_rows), own_rows, own);
        continue;
      }
      const HeldRows& rows = stream.way.rows(step);
      attend(rank.attention.blocks(queries, rows), rows, *stream.current);
    }
    for (LineStream& stream : streams) {
      Task<> passed = stream.next.finished();
      co_await passed;
      stream.current = std::exchange(stream.next.coming, std::nullopt);
    }
  }
  for (LineStream& stream : streams) stream.current.reset();
  own.release();
  held.query.release();
  co_return answer->finish();
}

// Costs: what a rank sends and holds, in closed form.

/// Each of R steps sends a shard to each neighbour. A rank holds five shards: its own to the end, and of either way
/// keys that are here and keys that come, beyond the ends as many as the last place has.
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
