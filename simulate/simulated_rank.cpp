// SPDX-License-Identifier: Apache-2.0
// Posting, receiving and awaiting; what can go wrong with one request is seen here.
#include "simulate/simulated_rank.hpp"

#include <fmt/format.h>

#include "simulate/engine.hpp"

namespace attestone {

std::string Posted::text() const {
  return fmt::format("{}, {} rank {} ({})", signature.text(), sends ? "to" : "from", peer, signature.where.text());
}

void SimulatedRank::ready(std::coroutine_handle<> coroutine) { engine_.events.ready(rank_, coroutine); }

void SimulatedRank::dropped(std::coroutine_handle<> task, std::exception_ptr failure) noexcept {
  engine_.events.forget(task);
  if (engine_.over) {
    if (!engine_.unheard) engine_.unheard = failure;
  } else if (std::uncaught_exceptions() > 0) {
    return;
  } else if (!failure) {
    engine_.note({"task-not-awaited", fmt::format("rank {} drops a task that has not ended", rank_)});
  } else if (!engine_.failure) {
    engine_.failure = failure;
  }
}

Signature SimulatedRank::said(const Signature& signature) const {
  Signature said = signature;
  for (const auto& fault : engine_.faults) fault->says(rank_, said);
  return said;
}

void SimulatedRank::begun(const Group& group, const Signature& signature) {
  try {
    engine_.agreement.begun(rank_, group, said(signature));
  } catch (const KernelFault& fault) {
    engine_.fail(fault);
  }
}

index SimulatedRank::post_send(index to, const Signature& signature, std::span<const ConstView> views) {
  Posted posted;
  posted.sends = true;
  posted.peer = to;
  posted.signature = said(signature);
  posted.sent.assign(views.begin(), views.end());
  posted.sequence = channels_[{to, signature.group}].next_sent();
  Message message;
  message.source = rank_;
  message.destination = to;
  message.sequence = posted.sequence;
  message.signature = posted.signature;
  message.payload = packed(views);
  message.checksum = checksum_of(message);
  message.number = engine_.messages++;
  message.request = requests_;
  posted.content = hash_of(message.payload);

  Traffic& sent = traffic[signature.group];
  ++sent.messages;
  sent.bytes += static_cast<index>(message.payload.size());
  posted_.emplace(requests_, std::move(posted));

  std::vector<Message> leaving;
  leaving.push_back(std::move(message));
  for (const auto& fault : engine_.faults) fault->leaving(leaving);
  for (Message& one : leaving) engine_.events.send(std::move(one));
  return requests_++;
}

index SimulatedRank::post_receive(index from, const Signature& signature, std::span<const View> views) {
  const index request = requests_++;
  Posted posted;
  posted.peer = from;
  posted.signature = said(signature);
  posted.received.assign(views.begin(), views.end());
  poison(views);
  Channel& channel = channels_[{from, signature.group}];
  posted.sequence = channel.asked_for();
  const std::optional<Message> message = channel.expect(request);
  Posted& kept = posted_.emplace(request, std::move(posted)).first->second;
  if (message) receive(*message, kept);
  return request;
}

void SimulatedRank::arrives(Message message) {
  const std::string what = fmt::format("{}, sent by rank {} at {}", message.signature.text(), message.source,
                                       message.signature.where.text());
  if (checksum_of(message) != message.checksum)
    throw KernelFault("corrupted-message", fmt::format("{}, came to rank {} with other bits", what, rank_));
  const std::optional<index> request = channels_[{message.source, message.signature.group}].arrive(message);
  if (!request) return;
  // Without one, an exception has taken the receive away.
  if (const auto found = posted_.find(*request); found != posted_.end()) receive(message, found->second);
}

void SimulatedRank::receive(const Message& message, Posted& posted) {
  if (!agree(message.signature, posted.signature))
    engine_.fail(
        {"mismatched-message", fmt::format("rank {} receives {}, but rank {} sent {} at {}", rank_, posted.text(),
                                           message.source, message.signature.text(), message.signature.where.text())});
  unpack(message.payload, posted.received);
  posted.finished = true;
  if (posted.waiting) ready(posted.waiting);
  engine_.rank(message.source).finish(message.request);
}

void SimulatedRank::finish(index request) {
  const auto found = posted_.find(request);
  if (found == posted_.end()) return;
  found->second.finished = true;
  if (found->second.waiting) ready(found->second.waiting);
}

void SimulatedRank::when_finished(index request, std::coroutine_handle<> waiting) {
  posted_.at(request).waiting = waiting;
}

void SimulatedRank::awaited(index request) {
  const Posted posted = std::move(posted_.at(request));
  posted_.erase(request);
  if (!posted.sends || hash_of(packed(posted.sent)) == posted.content) return;
  engine_.fail({"send-buffer-changed",
                fmt::format("rank {} wrote to what it sends before that had been received: {}", rank_, posted.text())});
}

void SimulatedRank::abandoned(index request) noexcept {
  const auto found = posted_.find(request);
  if (found == posted_.end()) return;
  if (!engine_.over && std::uncaught_exceptions() == 0)
    engine_.note({"request-not-awaited", fmt::format("rank {} never awaits {}", rank_, found->second.text())});
  posted_.erase(found);
}

}  // namespace attestone
