// SPDX-License-Identifier: Apache-2.0
// Mutant: buffers of the next keys that nobody gives back.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class SecondBuffersKept final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    const index rows = rank.keys.of_ring(rank.ring.beside(-1)).count();
    KeysAndValues second(rank, "second KV", held.key.dtype(), held.value.dtype(), rows, rank.held_heads());
    Task<RankAnswer> all = MeshSteps::forward(rank, std::move(held));
    co_return co_await all;
  }
};

const Registration<Mutant> registered{{
    .name = "second_buffers_kept",
    .summary = "holds one more shard of K and V than a ring needs, from the first hop to the last",
    .property = "value_bound",
    .reason = "mesh-memory",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return mesh_mutant<SecondBuffersKept>("second_buffers_kept", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
