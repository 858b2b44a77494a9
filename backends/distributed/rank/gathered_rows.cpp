// SPDX-License-Identifier: Apache-2.0
// Finding runs of neighbouring rows.
#include "backends/distributed/rank/gathered_rows.hpp"

#include <utility>

#include "backends/distributed/messages/elements.hpp"

namespace attestone::inline backends {
namespace {

/// visit(first row among all, first row among those of the place, how many)
template <class Visit>
void for_each_run(const Shards& shards, index place, Visit visit) {
  const HeldRows &all = shards.all(), &own = shards.of_ring(place);
  for (index sequence = 0; sequence < own.sequences(); ++sequence) {
    const std::vector<index>& rows = own.of(sequence);
    std::size_t first = 0;
    do {
      std::size_t end = std::min(first + 1, rows.size());
      while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
      const index whole = rows.empty() ? 0 : rows[first];
      visit(all.begin(sequence) + whole, own.begin(sequence) + static_cast<index>(first),
            static_cast<index>(end - first));
      first = end;
    } while (first < rows.size());
  }
}

/// One hop of all tensors; none in a ring of one.
std::vector<Request> pass_on(Rank& rank, const Shards& shards, const std::vector<Gathered>& tensors, index hop,
                             From from) {
  std::vector<Request> under_way;
  if (rank.ring.size() == 1) return under_way;
  for (const Gathered& tensor : tensors) {
    const std::vector<View> out = gathered_rows(shards, rank.ring.beside(-hop), tensor.all);
    const std::vector<View> in = gathered_rows(shards, rank.ring.beside(-hop - 1), tensor.all);
    const std::vector<ConstView> going(out.begin(), out.end());
    for (Request& request : permute(rank.communicator, rank.ring, 1, going, in, Messages::together, from))
      under_way.push_back(std::move(request));
  }
  return under_way;
}

}  // namespace

PlacedRows placed_rows(const Shards& shards, index place, const Buffer& gathered, const Buffer& own) {
  PlacedRows rows;
  for_each_run(shards, place, [&](index in_all, index in_own, index count) {
    rows.gathered.push_back(gathered.part(0, gathered.heads(), in_all, count));
    rows.own.push_back(own.part(0, own.heads(), in_own, count));
  });
  return rows;
}

std::vector<View> gathered_rows(const Shards& shards, index place, const Buffer& gathered) {
  std::vector<View> rows;
  for_each_run(shards, place, [&](index in_all, index, index count) {
    rows.push_back(gathered.part(0, gathered.heads(), in_all, count));
  });
  return rows;
}

Task<> gather_rows(Rank& rank, const Shards& shards, std::vector<Gathered> tensors, From from) {
  std::vector<Request> first_hop = begin_to_gather(rank, shards, tensors, from);
  return go_on_gathering(rank, shards, std::move(tensors), std::move(first_hop), from);
}

std::vector<Request> begin_to_gather(Rank& rank, const Shards& shards, const std::vector<Gathered>& tensors,
                                     From from) {
  for (const Gathered& tensor : tensors) {
    const PlacedRows rows = placed_rows(shards, rank.ring.place, tensor.all, tensor.own);
    for (std::size_t run = 0; run < rows.own.size(); ++run) copy(rows.own[run], rows.gathered[run]);
  }
  return pass_on(rank, shards, tensors, 0, from);
}

Task<> go_on_gathering(Rank& rank, const Shards& shards, std::vector<Gathered> tensors, std::vector<Request> under_way,
                       From from) {
  for (index hop = 0; hop < rank.ring.size() - 1; ++hop) {
    if (hop > 0) under_way = pass_on(rank, shards, tensors, hop, from);
    Task<> passed = all_of(std::exchange(under_way, {}));
    co_await passed;
  }
}

}  // namespace attestone::inline backends
