// SPDX-License-Identifier: Apache-2.0
// Exchanges are posted at once; gathers, sums and broadcasts go from neighbour to neighbour, a step after the other.
#include "backends/distributed/messages/collectives.hpp"

#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/messages/rules.hpp"

namespace attestone::inline backends {
namespace {

void require_same(const View& one, const View& other) {
  demand(one.dtype() == other.dtype() && one.extents() == other.extents() && one.row_map().dense() &&
             other.row_map().dense(),
         "parts of one tensor have one format and the same extents on every rank");
}

index one_for_each(const Group& group, std::size_t parts) {
  demand(parts == static_cast<std::size_t>(group.size()), "there is a part for every member");
  return group.size();
}

template <class Views>
auto& at(Views& views, index place) {
  return views[static_cast<std::size_t>(place)];
}

Request send_one(Communicator& rank, const Group& group, index to, const Signature& signature, const ConstView& view) {
  return rank.send(group, to, signature, std::span(&view, 1));
}

Request receive_one(Communicator& rank, const Group& group, index from, const Signature& signature, const View& view) {
  return rank.receive(group, from, signature, std::span(&view, 1));
}

/// One message, or one for each view.
std::vector<Request> send_all(Communicator& rank, const Group& group, index to, const Signature& signature,
                              std::span<const ConstView> out, Messages messages) {
  std::vector<Request> requests;
  if (messages == Messages::together) requests.push_back(rank.send(group, to, signature, out));
  for (std::size_t i = 0; messages == Messages::apart && i < out.size(); ++i)
    requests.push_back(send_one(rank, group, to, signature, out[i]));
  return requests;
}

std::vector<Request> receive_all(Communicator& rank, const Group& group, index from, const Signature& signature,
                                 std::span<const View> in, Messages messages) {
  std::vector<Request> requests;
  if (messages == Messages::together) requests.push_back(rank.receive(group, from, signature, in));
  for (std::size_t i = 0; messages == Messages::apart && i < in.size(); ++i)
    requests.push_back(receive_one(rank, group, from, signature, in[i]));
  return requests;
}

/// Copies the rank's own part, which needs no message.
void copy_own(std::span<const ConstView> out, std::span<const View> in) {
  demand(out.size() == in.size(), "as many tensors come as go");
  for (std::size_t i = 0; i < out.size(); ++i) copy(out[i], in[i]);
}

/// One step round the ring: `out` goes to the next member, `in` comes from the one before.
Task<> step(Communicator& rank, const Group& group, const Signature& signature, ConstView out, View in) {
  Request incoming = receive_one(rank, group, group.beside(-1), signature, in);
  Request outgoing = send_one(rank, group, group.beside(1), signature, out);
  co_await incoming;
  co_await outgoing;
}

Task<> gather(Communicator& rank, const Group& group, const Signature& signature, const std::vector<View>& all) {
  const index size = one_for_each(group, all.size());
  for (index hop = 0; hop < size - 1; ++hop)
    co_await step(rank, group, signature, at(all, group.beside(-hop)), at(all, group.beside(-hop - 1)));
}

}  // namespace

std::vector<Request> permute(Communicator& rank, const Group& group, index steps, std::span<const ConstView> out,
                             std::span<const View> in, Messages messages, From from) {
  const Signature signature = rank.begin(group, "permute", from);
  const index to = group.beside(steps), back = group.beside(-steps);
  if (to == group.place) {
    copy_own(out, in);
    return {};
  }
  std::vector<Request> requests = receive_all(rank, group, back, signature, in, messages);
  for (Request& request : send_all(rank, group, to, signature, out, messages)) requests.push_back(std::move(request));
  return requests;
}

LineStep step_on_line(Communicator& rank, const Group& group, index steps, std::span<const ConstView> out,
                      std::span<const View> in, Messages messages, From from) {
  const Signature signature = rank.begin(group, "step_on_line", from);
  const index to = group.place + steps, back = group.place - steps;
  demand(out.empty() || (to >= 0 && to < group.size()), "nothing is sent beyond the end of a line");
  demand(in.empty() || (back >= 0 && back < group.size()), "nothing comes from beyond the end of a line");
  LineStep step;
  if (!in.empty()) step.arriving = receive_all(rank, group, back, signature, in, messages);
  if (!out.empty()) step.leaving = send_all(rank, group, to, signature, out, messages);
  return step;
}

std::vector<Request> all_to_all(Communicator& rank, const Group& group, std::span<const std::vector<ConstView>> out,
                                std::span<const std::vector<View>> in, From from) {
  const index size = one_for_each(group, out.size());
  one_for_each(group, in.size());
  const Signature signature = rank.begin(group, "all_to_all", from);
  std::vector<Request> requests;
  for (index steps = 1; steps < size; ++steps) {
    const index to = group.beside(steps), back = group.beside(-steps);
    requests.push_back(rank.receive(group, back, signature, at(in, back)));
    requests.push_back(rank.send(group, to, signature, at(out, to)));
  }
  copy_own(at(out, group.place), at(in, group.place));
  return requests;
}

Task<> all_gather(Communicator& rank, const Group& group, std::vector<View> all, From from) {
  const Signature signature = rank.begin(group, "all_gather", from);
  co_await gather(rank, group, signature, all);
}

Task<> reduce_scatter(Communicator& rank, const Group& group, std::vector<View> part, std::vector<View> incoming,
                      From from) {
  const index size = one_for_each(group, part.size());
  one_for_each(group, incoming.size());
  for (index place = 0; place < size; ++place) require_same(at(part, place), at(incoming, place));
  const Signature signature = rank.begin(group, "reduce_scatter", from);
  for (index hop = 1; hop < size; ++hop) {
    const index leaving = group.beside(-hop), coming = group.beside(-hop - 1);
    co_await step(rank, group, signature, at(part, leaving), at(incoming, coming));
    add(at(incoming, coming), at(part, coming));
  }
}

Task<> all_reduce(Communicator& rank, const Group& group, View values, std::vector<View> room, From from) {
  one_for_each(group, room.size());
  for (const View& place : room) require_same(values, place);
  const Signature signature = rank.begin(group, "all_reduce", from);
  if (group.size() == 1) co_return;
  copy(values, at(room, group.place));
  co_await gather(rank, group, signature, room);
  copy(room.front(), values);
  for (std::size_t member = 1; member < room.size(); ++member) add(room[member], values);
}

Task<> broadcast(Communicator& rank, const Group& group, index root, View values, From from) {
  demand(root >= 0 && root < group.size(), "the root is a member");
  const Signature signature = rank.begin(group, "broadcast", from);
  if (group.place != root) co_await receive_one(rank, group, group.beside(-1), signature, values);
  if (group.beside(1) != root) co_await send_one(rank, group, group.beside(1), signature, values);
}

Task<> barrier(Communicator& rank, const Group& group, From from) {
  const Signature signature = rank.begin(group, "barrier", from);
  for (int round = 0; round < 2 && group.size() > 1; ++round) {
    if (group.place == 0) co_await rank.send(group, group.beside(1), signature, std::span<const ConstView>());
    co_await rank.receive(group, group.beside(-1), signature, std::span<const View>());
    if (group.place != 0) co_await rank.send(group, group.beside(1), signature, std::span<const ConstView>());
  }
}

}  // namespace attestone::inline backends
