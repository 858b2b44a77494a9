// SPDX-License-Identifier: Apache-2.0
// A request of the pipe with the rows of one rank.
#include "backends/distributed/worlds/programs/rank_request.hpp"

#include <fmt/format.h>
#include <span>

#include "backends/plugins/program/program_request.hpp"

namespace attestone::inline backends {
namespace {

void add_table(const char* name, const Shards& shards, index places, Frame& frame) {
  std::vector<index> table;
  for (index place = 0; place < places; ++place)
    for (index sequence = 0; sequence < shards.of_ring(place).sequences(); ++sequence)
      for (const index number : shards.of_ring(place).of(sequence))
        table.insert(table.end(), {place, sequence, number});
  const auto bytes = std::as_bytes(std::span(table));
  frame.tensors.push_back({name, "I64", {std::ssize(table) / 3, 3}, {bytes.begin(), bytes.end()}});
}

void add_places(const Rank& rank, Frame& frame) {
  frame.texts["place"] = fmt::format("{}", rank.ring.place);
  frame.texts["places"] = fmt::format("{}", rank.ring.size());
  add_table("query_table", rank.queries, rank.ring.size(), frame);
  add_table("key_table", rank.keys, rank.ring.size(), frame);
}

/// The inputs that all ranks have, and the rank's own rows.
template <class Held>
KernelInputs inputs_of(const Rank& rank, const Held& held) {
  KernelInputs inputs = rank.attention.inputs();
  inputs.query = held.query.all();
  inputs.key = held.key.all();
  inputs.value = held.value.all();
  return inputs;
}

}  // namespace

Frame forward_request(const Rank& rank, const RankInputs& held) {
  Frame frame = forward_request(rank.attention.whole(), inputs_of(rank, held));
  add_places(rank, frame);
  return frame;
}

Frame backward_request(const Rank& rank, const RankSaved& held) {
  Frame frame = backward_request(rank.attention.whole(), inputs_of(rank, held), held.out.all(), held.log_sum_exp.all(),
                                 held.dout.all());
  add_places(rank, frame);
  return frame;
}

}  // namespace attestone::inline backends
