// SPDX-License-Identifier: Apache-2.0
// From what is certain to what is only seen: ranks that stopped, messages that are lost, operations that are missing,
// circles of waiting.
#include "simulate/world/standstill.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace attestone::inline simulate {
namespace {

using Found = std::optional<KernelFault>;

index size(const Engine& engine) { return static_cast<index>(engine.ranks.size()); }

/// The request for which a rank waits, if any: the oldest one of a coroutine.
const Posted* waits_for(const SimulatedRank& rank) {
  for (const auto& [number, posted] : rank.posted())
    if (posted.waiting && !posted.finished) return &posted;
  return nullptr;
}

/// "rank 0 waits for permute 3 of group ring, 96 x bf16, from rank 3 (ring.cpp:88 forward)"
std::string waiting_text(const Engine& engine, index number) {
  const SimulatedRank& rank = engine.rank(number);
  if (rank.stopped) return fmt::format("rank {} stopped after {} steps", number, rank.resumed);
  if (rank.ended) return fmt::format("rank {} has ended", number);
  const Posted* posted = waits_for(rank);
  return posted ? fmt::format("rank {} waits for {}", number, posted->text())
                : fmt::format("rank {} waits for no message", number);
}

/// Who waits for whom from this rank on, until somebody waits for nobody or was met before; only the circle, if there
/// is one.
std::vector<index> chain(const Engine& engine, index from) {
  std::vector<index> way;
  for (index rank = from;;) {
    if (const auto met = std::ranges::find(way, rank); met != way.end()) return {met, way.end()};
    way.push_back(rank);
    const SimulatedRank& one = engine.rank(rank);
    const Posted* posted = one.ended || one.stopped ? nullptr : waits_for(one);
    if (!posted) return way;
    rank = posted->peer;
  }
}

std::string chain_text(const Engine& engine, index from) {
  std::string all;
  for (const index rank : chain(engine, from)) all += (all.empty() ? "" : "; ") + waiting_text(engine, rank);
  return all;
}

Found stopped_rank(const Engine& engine) {
  for (index stopped = 0; stopped < size(engine); ++stopped) {
    if (!engine.rank(stopped).stopped || engine.rank(stopped).ended) continue;
    std::string all = waiting_text(engine, stopped);
    for (index rank = 0; rank < size(engine); ++rank)
      if (rank != stopped && !engine.rank(rank).ended) all += "; " + waiting_text(engine, rank);
    return KernelFault("dead-rank", all);
  }
  return std::nullopt;
}

/// A receive whose message was sent and is nowhere, or a message that nobody receives.
Found lost_message(const Engine& engine) {
  for (index number = 0; number < size(engine); ++number)
    for (const auto& [request, posted] : engine.rank(number).posted()) {
      if (posted.finished || !posted.sends) continue;
      const SimulatedRank& receiver = engine.rank(posted.peer);
      const auto channel = receiver.channels().find({number, posted.signature.group});
      const bool came = channel != receiver.channels().end() && channel->second.arrived(posted.sequence);
      if (!came)
        return KernelFault("lost-message", fmt::format("rank {} sent {}: it never arrived", number, posted.text()));
      if (receiver.ended)
        return KernelFault("lost-message",
                           fmt::format("rank {} sent {}, which has ended without receiving it", number, posted.text()));
    }
  return std::nullopt;
}

Found missing_operation(const Engine& engine) {
  const auto has_ended = [&](index rank) { return engine.rank(rank).ended; };
  if (const auto text = engine.agreement.missing(has_ended)) return KernelFault("mismatched-message", *text);
  return std::nullopt;
}

Found circle(const Engine& engine) {
  for (index rank = 0; rank < size(engine); ++rank)
    if (!engine.rank(rank).ended) return KernelFault("deadlock", chain_text(engine, rank));
  return std::nullopt;
}

/// Finds what ended programs keep where the world cannot see it.
Found left_behind(const Engine& engine) {
  for (index rank = 0; rank < size(engine); ++rank)
    for (const auto& [number, posted] : engine.rank(rank).posted()) {
      if (posted.waiting)
        return KernelFault("task-not-awaited",
                           fmt::format("rank {} ended before a task of its own: {}", rank, waiting_text(engine, rank)));
      return KernelFault("request-not-awaited", fmt::format("rank {} never awaits {}", rank, posted.text()));
    }
  return std::nullopt;
}

}  // namespace

std::optional<KernelFault> standstill(const Engine& engine) {
  if (Found found = stopped_rank(engine)) return found;
  if (Found found = missing_operation(engine)) return found;
  if (Found found = lost_message(engine)) return found;
  if (Found found = circle(engine)) return found;
  return left_behind(engine);
}

}  // namespace attestone::inline simulate
