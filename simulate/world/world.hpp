// SPDX-License-Identifier: Apache-2.0
// Devices that do not exist, on one thread: one seed decides what happens when, and every mistake has a name.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "backends/kernel_fault.hpp"
#include "simulate/world/fault.hpp"
#include "simulate/world/simulated_rank.hpp"

namespace attestone::inline simulate {

/// The parts of a world.
struct WorldSettings {
  index ranks = 1;
  std::uint64_t seed = 0;
  index memory = std::numeric_limits<index>::max();  ///< bytes of each device
  FreshMemory fresh = FreshMemory::poisoned;
};

/// Tasks and requests of a world are destroyed before it.
class World {
 public:
  using Program = std::function<Task<>(index rank)>;

  explicit World(const WorldSettings&, Faults = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  index size() const;
  Communicator& communicator(index rank);
  Device& device(index rank);

  /// Runs the program of each rank to its end. KernelFault for mistakes of theirs and for faults that were noticed;
  /// other exceptions of a program pass. After any of them the world is of no more use.
  void run(const Program&);

  /// The traffic that a rank has sent so far, by group and in all.
  const std::map<std::string, Traffic>& traffic(index rank) const;
  Traffic sent(index rank) const;
  /// How much has happened so far, and a hash of it: the same for the same seed, another for another order of events.
  index events() const;
  std::uint64_t digest() const;
  /// How often the fault of this number has happened.
  index happened(std::size_t fault) const;

 private:
  void go_on(const Program&);
  void resume(index rank, std::coroutine_handle<>);
  void look_at_end_of(index rank);

  std::unique_ptr<Engine> engine_;
  std::vector<Task<>> programs_;
};

}  // namespace attestone::inline simulate
