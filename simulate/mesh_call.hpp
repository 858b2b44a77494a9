// SPDX-License-Identifier: Apache-2.0
// One call on a mesh: who holds what, and the ranks that work on it.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulate/held_tensors.hpp"
#include "simulate/mesh_shards.hpp"
#include "simulate/world.hpp"

namespace attestone {

/// Which rows and heads a rank holds of a tensor.
struct HeldPart {
  const HeldRows& rows;
  Interval heads;
};

/// Sets the ranks up for one pass, and runs them. Their answers lie on devices of this call, and must not outlive it.
class MeshCall {
 public:
  MeshCall(const MeshShards&, const Kernel& local, const Problem&, const KernelInputs&, const WorldSettings&);

  index ranks() const { return world_.size(); }
  /// Runs program(number, rank), a task, on every rank; answers what each one did.
  template <class Answer, class Program>
  std::vector<Answer> run(Program program);
  /// What every rank sent and held, beside documented(rank).
  std::vector<MeasuredDevice> devices(const std::function<RankCosts(const CostedRank&)>& documented) const;
  /// KernelFault for a rank of `method` that did anything else than is documented.
  void hold_to(const std::vector<MeasuredDevice>&, const std::string& method) const;

  /// A rank's own rows, of all heads: before and after any exchange.
  HeldPart own_queries(index rank) const;
  HeldPart own_keys(index rank) const;
  /// What the local attention works on: after the exchange.
  HeldPart attended_queries(index rank) const;
  HeldPart attended_keys(index rank) const;

  /// Gives every rank sums of its own for the gradients of sinks and biases; and adds them up, rank by rank.
  void start_shared(const BackwardArguments&);
  void store_shared(const BackwardArguments&) const;

 private:
  const MeshShards& shards_;
  const Kernel& local_;
  const Problem& problem_;
  World world_;
  std::deque<Device> workspaces_;  ///< of the ranks' kernels
  std::deque<Rank> ranks_;
  std::deque<Buffer> shared_;  ///< sums of gradients of what all ranks have
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

}  // namespace attestone
