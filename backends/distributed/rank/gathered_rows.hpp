// SPDX-License-Identifier: Apache-2.0
// The rows of all places in one buffer, each at its number in the whole.
#pragma once

#include "backends/distributed/messages/collectives.hpp"
#include "backends/distributed/rank/rank.hpp"

namespace attestone::inline backends {

/// The rows of a place among all of a gathered buffer, and the same ones in a buffer of their own: run by run of
/// neighbours, and of every sequence at least one, which may be empty.
struct PlacedRows {
  std::vector<View> gathered, own;
};
PlacedRows placed_rows(const Shards&, index place, const Buffer& gathered, const Buffer& own);
/// The first half alone, where there is no buffer of their own.
std::vector<View> gathered_rows(const Shards&, index place, const Buffer& gathered);

/// The rows of a rank, and room for those of all places.
struct Gathered {
  const Buffer &own, &all;
};
/// Fills that room: the own rows are copied, and at hop i each place of the ring passes on those of the place i places
/// back, a message for each tensor.
Task<> gather_rows(Rank&, const Shards&, std::vector<Gathered>, From = From::current());
/// Gathers in two steps, between which the first hop is under way.
std::vector<Request> begin_to_gather(Rank&, const Shards&, const std::vector<Gathered>&, From = From::current());
Task<> go_on_gathering(Rank&, const Shards&, std::vector<Gathered>, std::vector<Request> first_hop,
                       From = From::current());

}  // namespace attestone::inline backends
