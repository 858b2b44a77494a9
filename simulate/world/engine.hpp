// SPDX-License-Identifier: Apache-2.0
// The state that the ranks of a world share.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "backends/kernel_fault.hpp"
#include "simulate/world/agreement.hpp"
#include "simulate/world/events.hpp"
#include "simulate/world/simulated_rank.hpp"

namespace attestone::inline simulate {

/// The engine that moves the ranks of a world.
struct Engine {
  Engine(std::uint64_t seed, Faults given) : faults(std::move(given)), events(seed, faults) {}

  Faults faults;
  Events events;
  Agreement agreement;
  std::vector<std::unique_ptr<SimulatedRank>> ranks;
  index messages = 0;          ///< posted so far
  std::exception_ptr failure;  ///< the first mistake: the world ends before the next event
  std::exception_ptr unheard;  ///< left a task that nobody asked for its result
  bool over = false;           ///< what is destroyed now is no mistake any more

  SimulatedRank& rank(index number) { return *ranks[static_cast<std::size_t>(number)]; }
  const SimulatedRank& rank(index number) const { return *ranks[static_cast<std::size_t>(number)]; }

  /// A mistake that is seen where nothing can be thrown.
  void note(const KernelFault& fault) {
    if (!failure) failure = std::make_exception_ptr(fault);
  }
};

}  // namespace attestone::inline simulate
