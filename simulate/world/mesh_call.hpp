// SPDX-License-Identifier: Apache-2.0
// One call on a simulated mesh: the ranks that work on it.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "backends/distributed/mesh_kernel/dealt_call.hpp"
#include "simulate/world/world.hpp"

namespace attestone::inline simulate {

/// Sets the ranks up for one pass, and runs them. Their answers lie on devices of this call, and must not outlive it.
class MeshCall {
 public:
  MeshCall(const MeshShards&, const Kernel& local, const Problem&, const KernelInputs&, const WorldSettings&, Faults);

  index ranks() const { return world_.size(); }
  /// Runs program(number, rank), a task, on every rank; answers what each one did.
  template <class Answer, class Program>
  std::vector<Answer> run(Program program);
  /// How often the fault of this number has happened.
  index happened(std::size_t fault) const { return world_.happened(fault); }
  /// The traffic and memory of every rank.
  std::vector<DeviceUse> used() const;

  /// Gives every rank sums of its own for the gradients of sinks and biases; and what has come of them.
  void start_shared(const BackwardArguments&);
  std::vector<SharedGradients> shared() const;

 private:
  World world_;
  std::deque<Device> workspaces_;  ///< of the ranks' kernels
  std::deque<Rank> ranks_;
  std::deque<SharedSum> sums_;
};

template <class Answer, class Program>
std::vector<Answer> MeshCall::run(Program program) {
  std::vector<std::optional<Answer>> answers(ranks_.size());
  world_.run([&](index number) -> Task<> {
    const auto at = static_cast<std::size_t>(number);
    Task<Answer> task = program(number, ranks_[at]);
    Answer answer = co_await task;
    answers[at].emplace(std::move(answer));
  });
  std::vector<Answer> all;
  for (std::optional<Answer>& answer : answers) all.push_back(std::move(*answer));
  return all;
}

}  // namespace attestone::inline simulate
