// SPDX-License-Identifier: Apache-2.0
// Handing messages to the world, which decides when they arrive.
#include "simulate/world/simulated_rank.hpp"

#include <fmt/format.h>

#include "simulate/world/engine.hpp"

namespace attestone::inline simulate {

void SimulatedRank::note(const KernelFault& fault) { engine_.note(fault); }
bool SimulatedRank::over() const { return engine_.over; }

void SimulatedRank::ready(std::coroutine_handle<> coroutine) { engine_.events.ready(rank(), coroutine); }

void SimulatedRank::dropped(std::coroutine_handle<> task, std::exception_ptr failure) noexcept {
  engine_.events.forget(task);
  if (engine_.over) {
    if (!engine_.unheard) engine_.unheard = failure;
  } else if (std::uncaught_exceptions() > 0) {
    return;
  } else if (!failure) {
    engine_.note({"task-not-awaited", fmt::format("rank {} drops a task that has not ended", rank())});
  } else if (!engine_.failure) {
    engine_.failure = failure;
  }
}

Signature SimulatedRank::said(const Signature& signature) const {
  Signature said = signature;
  for (const auto& fault : engine_.faults) fault->says(rank(), said);
  return said;
}

void SimulatedRank::begun(const Group& group, const Signature& signature) {
  try {
    engine_.agreement.begun(rank(), group, said(signature));
  } catch (const KernelFault& fault) {
    fail(fault);
  }
}

index SimulatedRank::post_send(index to, const Signature& signature, std::span<const ConstView> views) {
  std::vector<Message> leaving;
  leaving.push_back(sending(to, said(signature), views));
  leaving.front().number = engine_.messages++;
  for (const auto& fault : engine_.faults) fault->leaving(leaving);
  for (Message& one : leaving) engine_.events.send(std::move(one));
  return posted_last();
}

index SimulatedRank::post_receive(index from, const Signature& signature, std::span<const View> views) {
  const std::optional<Message> message = receiving(from, said(signature), views);
  const index request = posted_last();
  if (message) receive(*message, *found(request));
  return request;
}

void SimulatedRank::arrives(Message message) {
  const std::string what = fmt::format("{}, sent by rank {} at {}", message.signature.text(), message.source,
                                       message.signature.where.text());
  if (checksum_of(message) != message.checksum)
    throw KernelFault("corrupted-message", fmt::format("{}, came to rank {} with other bits", what, rank()));
  const std::optional<index> request = arrived(message);
  if (!request) return;
  // Without one, an exception has taken the receive away.
  if (Posted* const posted = found(*request)) receive(message, *posted);
}

void SimulatedRank::receive(const Message& message, Posted& posted) {
  take(message, posted);
  SimulatedRank& source = engine_.rank(message.source);
  if (Posted* const sent = source.found(message.request)) source.finish(*sent);
}

}  // namespace attestone::inline simulate
