// SPDX-License-Identifier: Apache-2.0
// One pass of a method in a world that can be looked at afterwards, as MeshKernel runs it.
#pragma once

#include <deque>
#include <optional>

#include "backends/distributed/mesh_kernel/held_tensors.hpp"
#include "backends/distributed/mesh_kernel/mesh_shards.hpp"
#include "backends/kernel_fault.hpp"
#include "simulate/world/world.hpp"
#include "tests/random_call.hpp"
#include "tests/simulate/random_mesh.hpp"

namespace attestone {

/// The outcome of a pass. `codes` are those of the call's results, where nothing went wrong.
struct PassInAWorld {
  std::string reason = "none", said;
  std::uint64_t digest = 0;
  index happened = 0, messages = 0;
  std::vector<std::uint64_t> codes;
};

class MeshInAWorld {
 public:
  MeshInAWorld(const std::string& program, const std::string& mesh, RandomCall& call,
               const std::string& local = "flash")
      : program_(make_rank_program(program)), local_(make_kernel(local)), mesh_(mesh_of(mesh)), call_(call) {
    if (local_->wants_mask_bytes(call.problem)) mask_.emplace(call.problem);
  }

  /// The backward pass begins with what the last forward pass, of whatever kernel, has left in the call.
  PassInAWorld pass(bool backward, std::uint64_t seed, const std::vector<FaultCall>& faults = {}) const {
    WorldSettings settings;
    settings.ranks = mesh_.devices();
    settings.seed = seed;
    World world(settings, make_faults(faults, Census::of(settings.ranks), seed));
    PassInAWorld pass;
    try {
      if (backward)
        run_backward(world);
      else
        run_forward(world);
      pass.codes = call_.codes();
    } catch (const KernelFault& fault) {
      pass.reason = fault.reason(), pass.said = fault.what();
    }
    pass.digest = world.digest();
    for (std::size_t fault = 0; fault < faults.size(); ++fault) pass.happened += world.happened(fault);
    for (index rank = 0; rank < world.size(); ++rank) pass.messages += world.sent(rank).messages;
    return pass;
  }

 private:
  /// The ranks of a world, and what they hold.
  struct Ranks {
    Ranks(const MeshInAWorld& mesh, World& world, const KernelInputs& inputs)
        : problem(mesh.call_.problem), shards(problem, mesh.mesh_, *mesh.program_) {
      for (index number = 0; number < world.size(); ++number)
        all.push_back({world.communicator(number), world.device(number),
                       LocalAttention(*mesh.local_, problem, inputs, workspaces.emplace_back()), shards.queries(number),
                       shards.keys(number), mesh.mesh_.ring(number), mesh.mesh_.group(number, "ulysses"),
                       mesh.mesh_.group(number, "inner"), mesh.mesh_.group(number, "outer"), shards.heads()});
    }
    Rank& at(index number) { return all[static_cast<std::size_t>(number)]; }
    Interval heads(index count) const { return {0, count - 1}; }

    const Problem& problem;
    MeshShards shards;
    std::deque<Device> workspaces;
    std::deque<Rank> all;
  };

  template <class Answer, class Begin>
  static std::vector<std::optional<Answer>> answers(World& world, Ranks& ranks, Begin begin) {
    std::vector<std::optional<Answer>> all(ranks.all.size());
    world.run([&](index number) -> Task<> {
      Task<Answer> task = begin(ranks.at(number));
      Answer answer = co_await task;
      all[static_cast<std::size_t>(number)].emplace(std::move(answer));
    });
    return all;
  }

  void run_forward(World& world) const {
    const Shape& shape = call_.problem.shape;
    const Arguments arguments = arguments_of(call_.problem, call_.inputs, call_.outputs, mask());
    Ranks ranks(*this, world, arguments);
    const Interval query_heads = ranks.heads(shape.heads), kv_heads = ranks.heads(shape.kv_heads);
    const auto all = answers<RankAnswer>(world, ranks, [&](Rank& rank) {
      const HeldRows& queries = rank.queries.of(rank.ring.place, rank.ulysses.place);
      const HeldRows& keys = rank.keys.of(rank.ring.place, rank.ulysses.place);
      RankInputs inputs{scattered(rank.device, "query", arguments.query, queries, query_heads),
                        scattered(rank.device, "key", arguments.key, keys, kv_heads),
                        scattered(rank.device, "value", arguments.value, keys, kv_heads)};
      return program_->forward(rank, std::move(inputs));
    });
    for (index number = 0; number < world.size(); ++number) {
      const Rank& rank = ranks.at(number);
      const RankAnswer& answer = *all[static_cast<std::size_t>(number)];
      gather(answer.out, rank.queries.of(rank.ring.place, rank.ulysses.place), query_heads, arguments.out);
      gather(answer.log_sum_exp, rank.queries.of_ring(rank.ring.place), rank.held_heads().query, arguments.log_sum_exp);
    }
  }

  void run_backward(World& world) const {
    const Shape& shape = call_.problem.shape;
    const BackwardArguments arguments =
        arguments_of(call_.problem, call_.inputs, call_.outputs, *call_.gradients, mask());
    Ranks ranks(*this, world, arguments);
    const Interval query_heads = ranks.heads(shape.heads), kv_heads = ranks.heads(shape.kv_heads);
    const auto all = answers<RankGradients>(world, ranks, [&](Rank& rank) {
      const HeldRows &queries = rank.queries.of_ring(rank.ring.place), &keys = rank.keys.of_ring(rank.ring.place);
      const HeldHeads held = rank.held_heads();
      const index copies = rank.heads.copies();
      RankSaved saved{scattered(rank.device, "query", arguments.query, queries, held.query),
                      scattered(rank.device, "key", arguments.key, keys, held.kv, copies),
                      scattered(rank.device, "value", arguments.value, keys, held.kv, copies),
                      scattered(rank.device, "out", arguments.out, queries, held.query),
                      scattered(rank.device, "log_sum_exp", arguments.log_sum_exp, queries, held.query),
                      scattered(rank.device, "dout", arguments.dout,
                                rank.queries.of(rank.ring.place, rank.ulysses.place), query_heads)};
      return program_->backward(rank, std::move(saved));
    });
    for (index number = 0; number < world.size(); ++number) {
      const Rank& rank = ranks.at(number);
      const RankGradients& own = *all[static_cast<std::size_t>(number)];
      gather(own.dquery, rank.queries.of(rank.ring.place, rank.ulysses.place), query_heads, arguments.dquery);
      gather(own.dkey, rank.keys.of(rank.ring.place, rank.ulysses.place), kv_heads, arguments.dkey);
      gather(own.dvalue, rank.keys.of(rank.ring.place, rank.ulysses.place), kv_heads, arguments.dvalue);
    }
  }

  const VisiblePairs* mask() const { return mask_ ? &*mask_ : nullptr; }

  std::shared_ptr<const RankProgram> program_;
  SharedKernel local_;
  Mesh mesh_;
  RandomCall& call_;
  std::optional<VisiblePairs> mask_;
};

}  // namespace attestone
