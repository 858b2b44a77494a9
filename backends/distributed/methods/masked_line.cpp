// SPDX-License-Identifier: Apache-2.0
// Both ways along a line at once, as published.
#include "backends/distributed/methods/masked_line.hpp"

#include <array>

#include "backends/distributed/methods/line_way.hpp"
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

}  // namespace attestone::inline backends
