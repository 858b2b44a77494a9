// SPDX-License-Identifier: Apache-2.0
// One event after the other, until nothing is left that could happen.
#include "simulate/world/world.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "simulate/world/engine.hpp"
#include "simulate/world/standstill.hpp"

namespace attestone::inline simulate {

World::World(const WorldSettings& settings, Faults faults)
    : engine_(std::make_unique<Engine>(settings.seed, std::move(faults))) {
  require(settings.ranks > 0, "a world has ranks");
  for (index rank = 0; rank < settings.ranks; ++rank)
    engine_->ranks.push_back(std::make_unique<SimulatedRank>(*engine_, rank, settings.fresh, settings.memory));
}

World::~World() { engine_->over = true; }

index World::size() const { return static_cast<index>(engine_->ranks.size()); }
Communicator& World::communicator(index rank) { return engine_->rank(rank).communicator; }
Device& World::device(index rank) { return engine_->rank(rank).device; }

const std::map<std::string, Traffic>& World::traffic(index rank) const { return engine_->rank(rank).traffic(); }
Traffic World::sent(index rank) const { return engine_->rank(rank).sent(); }
index World::events() const { return engine_->events.count(); }
std::uint64_t World::digest() const { return engine_->events.digest(); }
index World::happened(std::size_t fault) const { return engine_->faults.at(fault)->happened(); }

void World::run(const Program& program) {
  require(!engine_->over, "a world is of no more use after a mistake");
  try {
    go_on(program);
  } catch (...) {
    engine_->over = true;
    programs_.clear();
    // Whoever waits for a task that has failed, but not yet, stands still: the failure says more.
    if (engine_->unheard && !engine_->failure) std::rethrow_exception(engine_->unheard);
    throw;
  }
  programs_.clear();
}

void World::go_on(const Program& program) {
  for (index rank = 0; rank < size(); ++rank) {
    engine_->rank(rank).ended = false;
    programs_.push_back(program(rank));
    programs_.back().start(engine_->rank(rank));
  }
  while (!engine_->events.empty()) {
    Event event = engine_->events.next();
    if (event.resumes)
      resume(event.rank, event.resumes);
    else if (SimulatedRank& rank = engine_->rank(event.rank); !rank.stopped)
      rank.arrives(*std::move(event.arrives));
    if (engine_->failure) std::rethrow_exception(engine_->failure);
  }
  if (const auto fault = standstill(*engine_)) throw KernelFault(*fault);
}

void World::resume(index number, std::coroutine_handle<> coroutine) {
  SimulatedRank& rank = engine_->rank(number);
  const auto stops = [&](const auto& fault) { return fault->stops(number, rank.resumed); };
  if (!rank.stopped) rank.stopped = std::ranges::any_of(engine_->faults, stops);
  if (rank.stopped) return;
  ++rank.resumed;
  coroutine.resume();
  if (!engine_->failure) look_at_end_of(number);
}

void World::look_at_end_of(index number) {
  Task<>& program = programs_[static_cast<std::size_t>(number)];
  SimulatedRank& rank = engine_->rank(number);
  if (rank.ended || !program.ended()) return;
  rank.ended = true;
  try {
    program.result();
  } catch (const KernelFault& fault) {
    engine_->note({fault.reason(), fmt::format("rank {}: {}", number, fault.what())});
  }
}

}  // namespace attestone::inline simulate
