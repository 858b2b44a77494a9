// SPDX-License-Identifier: Apache-2.0
// diffusers: one mask for all shards of the ring, that of the own one.
#include "backends/systems/limit.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class OneMaskForAllShards final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

  Support supports(const Problem& problem, const Mesh& mesh) const override {
    const Limit limits[] = {equal_shards, full_sequences_only};
    const Support there = within(limits, problem, mesh);
    return there ? MeshSteps::supports(problem, mesh) : there;
  }

 protected:
  Blocks blocks(const RingStep& step) const override {
    return step.rank.attention.blocks(step.queries, step.rank.keys.of_ring(step.rank.ring.place));
  }
  HeldRows row_numbers(const Rank& rank, const Shards& shards, index, bool) const override {
    return shards.of_ring(rank.ring.place);
  }
};

const Registration<Mutant> registered{{
    .name = "diffusers/ring/as_published/mask",
    .summary = "masks the keys of every step as it masks its own",
    .source = "models/attention_dispatch.py of huggingface/diffusers 58eb52c, TemplatedRingAttention",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x2x1 mask=causal",
    .variant = "own mask at every step of 2",
    .kernel = [] { return mesh_mutant<OneMaskForAllShards>("diffusers/ring/as_published/mask", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
