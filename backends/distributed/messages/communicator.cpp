// SPDX-License-Identifier: Apache-2.0
// Counting operations, and saying of messages what they are.
#include "backends/distributed/messages/communicator.hpp"

#include <fmt/format.h>
#include <string_view>

#include "backends/distributed/messages/rules.hpp"

namespace attestone::inline backends {
namespace {

/// How many elements of these exist.
template <class Byte>
index elements(std::span<const BasicView<Byte>> views) {
  index count = 0;
  for (const BasicView<Byte>& view : views)
    for (index batch = 0; batch < view.extents()[0]; ++batch)
      count += view.extents()[1] * view.rows(batch) * view.extents()[3];
  return count;
}

template <class Byte>
Signature of_message(Signature signature, std::span<const BasicView<Byte>> views) {
  for (const BasicView<Byte>& view : views)
    demand(view.dtype() == views.front().dtype(), "the tensors of one message are of one format");
  if (!views.empty()) signature.dtype = views.front().dtype().name;
  signature.count = elements(views);
  return signature;
}

}  // namespace

std::string CallSite::text() const {
  const std::string_view path = file;
  return fmt::format("{}:{} {}", path.substr(path.rfind('/') + 1), line, function);
}

std::string Signature::text() const {
  std::string all = fmt::format("{} {} of group {}", operation, number, group);
  if (!dtype.empty()) all += fmt::format(", {} x {}", count, dtype);
  return all;
}

Task<> all_of(std::vector<Request> requests) {
  for (Request& request : requests) co_await request;
}

Signature Communicator::begin(const Group& group, std::string operation, CallSite where) {
  demand(group.place >= 0 && group.place < group.size() && group.rank_at(group.place) == rank_,
         "a rank speaks in groups of which it is a member");
  Signature signature;
  signature.operation = std::move(operation);
  signature.group = group.name;
  signature.number = begun_[{group.name, group.members}]++;
  signature.where = where;
  transport_.begun(group, signature);
  return signature;
}

Request Communicator::send(const Group& group, index to, const Signature& signature, std::span<const ConstView> views) {
  demand(to != group.place, "a rank sends nothing to itself");
  return {transport_, transport_.post_send(group.rank_at(to), of_message(signature, views), views)};
}

Request Communicator::receive(const Group& group, index from, const Signature& signature, std::span<const View> views) {
  demand(from != group.place, "a rank receives nothing from itself");
  return {transport_, transport_.post_receive(group.rank_at(from), of_message(signature, views), views)};
}

}  // namespace attestone::inline backends
