// SPDX-License-Identifier: Apache-2.0
// The steps of a ring of codes.
#include "mutants/hosts/ring_of_codes.hpp"

#include "backends/distributed/rank/running_answer.hpp"

namespace attestone::inline mutants {

CodedKeys RingOfCodes::encoded(Device& device, const KeyValue& own) const { return encode(device, own, dtype("int8")); }

KeyValue RingOfCodes::decoded(const Rank& rank, const CodedKeys& comes, const CodedKeys&) const {
  const DType& input = rank.attention.whole().input;
  return decode(rank.device, comes, input, input);
}

Task<RankAnswer> RingOfCodes::forward(Rank& rank, RankInputs held) const {
  if (rank.ring.size() == 1) {
    Task<RankAnswer> alone = right().forward(rank, std::move(held));
    co_return co_await alone;
  }
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  const auto answer = running_answer(MergeForm::sigmoid, rank, queries, dtype("f32"));
  KeyValue here(std::move(held.key), std::move(held.value));
  CodedKeys codes = encoded(rank.device, here);
  for (index step = 0; step < rank.ring.size(); ++step) {
    const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(-step));
    const bool goes_on = step < rank.ring.size() - 1;
    const index next_rows = rank.keys.of_ring(rank.ring.beside(-step - 1)).count();
    Hop next, next_scales;
    if (goes_on) {
      next = hop(rank, rank.ring, 1, codes.codes, "KV codes", next_rows, Messages::apart);
      next_scales = hop(rank, rank.ring, 1, codes.scales, "KV scales", next_rows, Messages::together);
    }
    const auto blocks = rank.attention.blocks(queries, keys);
    if (!blocks.empty()) answer->take_in(blocks, queries, {keys, here.key, here.value});
    Task<> hopped = next.finished(), scales_hopped = next_scales.finished();
    co_await hopped;
    co_await scales_hopped;
    here.release();
    if (!goes_on) break;
    CodedKeys comes{std::move(*next.coming), std::move(*next_scales.coming)};
    here = decoded(rank, comes, codes);
    codes = std::move(comes);
  }
  codes.codes.release(), codes.scales.release();
  held.query.release();
  co_return answer->finish();
}

}  // namespace attestone::inline mutants
