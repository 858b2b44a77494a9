// SPDX-License-Identifier: Apache-2.0
// Operations of whole groups, written once over send and receive, in a fixed order: the same bits and bytes on every
// world.
#pragma once

#include "backends/distributed/messages/communicator.hpp"

namespace attestone::inline backends {

using From = CallSite;

/// How tensors that go the same way are sent: in a message each, or in one.
enum class Messages { apart, together };

/// Sends `out` to the member `steps` places further on, and receives `in` from the one so many places back. Under way
/// on return.
std::vector<Request> permute(Communicator&, const Group&, index steps, std::span<const ConstView> out,
                             std::span<const View> in, Messages = Messages::apart, From = From::current());

/// A step along an open line: `out` goes to the member `steps` places further on, if there is one, and `in` comes from
/// the one so many places back; either may be nothing. All members take it, and each end is awaited by itself.
struct LineStep {
  std::vector<Request> arriving, leaving;
};
LineStep step_on_line(Communicator&, const Group&, index steps, std::span<const ConstView> out,
                      std::span<const View> in, Messages = Messages::apart, From = From::current());

/// out[i] goes to the member at place i, in[i] comes from it; what is the rank's own is copied. Under way on return.
std::vector<Request> all_to_all(Communicator&, const Group&, std::span<const std::vector<ConstView>> out,
                                std::span<const std::vector<View>> in, From = From::current());

/// all[i] becomes what the member at place i has; its own place holds it already. Round the ring, size - 1 hops.
Task<> all_gather(Communicator&, const Group&, std::vector<View> all, From = From::current());

/// The sum of all members' part[own place] arrives in `part` of that place: round the ring, size - 1 hops; part i is
/// summed from member i + 1 on, in f32 or wider as the views say, and other parts hold what was sent on.
/// `incoming[i]` is room for part i, as it comes in; the rank's own sum is added in place.
Task<> reduce_scatter(Communicator&, const Group&, std::vector<View> part, std::vector<View> incoming,
                      From = From::current());

/// Everybody's `values` become their sum, in the order of the members: gathered in `room` [size], then added up by
/// each, so that all have the same bits.
Task<> all_reduce(Communicator&, const Group&, View values, std::vector<View> room, From = From::current());

/// Everybody's `values` become those of the member at place `root`, from neighbour to neighbour.
Task<> broadcast(Communicator&, const Group&, index root, View values, From = From::current());

/// Nobody leaves before everybody has come: a message without content round the ring, twice.
Task<> barrier(Communicator&, const Group&, From = From::current());

}  // namespace attestone::inline backends
