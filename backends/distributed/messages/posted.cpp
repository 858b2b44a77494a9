// SPDX-License-Identifier: Apache-2.0
// Posting, receiving and awaiting.
#include "backends/distributed/messages/posted.hpp"

#include <fmt/format.h>

namespace attestone::inline backends {

std::string Posted::text() const {
  return fmt::format("{}, {} rank {} ({})", signature.text(), sends ? "to" : "from", peer, signature.where.text());
}

Traffic PostingTransport::sent() const {
  Traffic all;
  for (const auto& [group, traffic] : traffic_) {
    all.messages += traffic.messages;
    all.bytes += traffic.bytes;
  }
  return all;
}

void PostingTransport::fail(const KernelFault& fault) {
  note(fault);
  throw KernelFault(fault);
}

Message PostingTransport::sending(index to, const Signature& signature, std::span<const ConstView> views) {
  Posted posted;
  posted.sends = true;
  posted.peer = to;
  posted.signature = signature;
  posted.sent.assign(views.begin(), views.end());
  posted.sequence = channel(to, signature.group).next_sent();
  Message message;
  message.source = rank_;
  message.destination = to;
  message.sequence = posted.sequence;
  message.signature = signature;
  message.payload = packed(views);
  message.checksum = checksum_of(message);
  message.request = requests_;
  posted.content = hash_of(message.payload);

  Traffic& sent = traffic_[signature.group];
  ++sent.messages;
  sent.bytes += static_cast<index>(message.payload.size());
  posted_.emplace(requests_++, std::move(posted));
  return message;
}

std::optional<Message> PostingTransport::receiving(index from, const Signature& signature,
                                                   std::span<const View> views) {
  Posted posted;
  posted.peer = from;
  posted.signature = signature;
  posted.received.assign(views.begin(), views.end());
  poison(views);
  Channel& own = channel(from, signature.group);
  posted.sequence = own.asked_for();
  const index request = requests_++;
  posted_.emplace(request, std::move(posted));
  return own.expect(request);
}

void PostingTransport::check_agreement(const Message& message, const Posted& posted) {
  if (agree(message.signature, posted.signature)) return;
  fail({"mismatched-message", fmt::format("rank {} receives {}, but rank {} sent {} at {}", rank_, posted.text(),
                                          message.source, message.signature.text(), message.signature.where.text())});
}

Posted* PostingTransport::found(index request) {
  const auto found = posted_.find(request);
  return found == posted_.end() ? nullptr : &found->second;
}

void PostingTransport::take(const Message& message, Posted& posted) {
  check_agreement(message, posted);
  unpack(message.payload, posted.received);
  finish(posted);
}

void PostingTransport::finish(Posted& posted) {
  posted.finished = true;
  if (posted.waiting) ready(posted.waiting);
}

void PostingTransport::when_finished(index request, std::coroutine_handle<> waiting) {
  posted_.at(request).waiting = waiting;
}

void PostingTransport::awaited(index request) {
  const Posted posted = std::move(posted_.at(request));
  posted_.erase(request);
  if (!posted.sends || hash_of(packed(posted.sent)) == posted.content) return;
  fail({"send-buffer-changed",
        fmt::format("rank {} wrote to what it sends before that had been received: {}", rank_, posted.text())});
}

void PostingTransport::abandoned(index request) noexcept {
  const auto found = posted_.find(request);
  if (found == posted_.end()) return;
  if (!over() && std::uncaught_exceptions() == 0)
    note({"request-not-awaited", fmt::format("rank {} never awaits {}", rank_, found->second.text())});
  posted_.erase(found);
}

}  // namespace attestone::inline backends
