// SPDX-License-Identifier: Apache-2.0
// Ring attention of diffusers as it was published: steps of the ring that work on another step's keys, mask or sums.
#include "mutants/hosts/diffusers_ring.hpp"

#include "backends/distributed/messages/collectives.hpp"
#include "backends/distributed/rank/local_attention.hpp"
#include "backends/systems/limit.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// Before 0.42.1: every step of the backward pass is the first one again.
class GradientsOfFirstBlock final : public KeysNeverChange {
 public:
  using KeysNeverChange::KeysNeverChange;

  Task<RankGradients> backward(Rank& rank, RankSaved saved) const override {
    const HeldRows& keys = rank.keys.of_ring(rank.ring.place);
    const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), saved.query};
    rank.attention.forward(rank.attention.blocks(queries, keys), queries, {keys, saved.key, saved.value}, saved.out,
                           saved.log_sum_exp);
    return MeshSteps::backward(rank, std::move(saved));
  }
};

/// One mask serves all shards of the ring: that of the device's own.
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

/// Since 0.42.1: sums of gradients go round the other way than the keys they belong to. On two devices both ways are
/// one.
class SumsGoAgainstKeys final : public DiffusersRing {
 public:
  using DiffusersRing::DiffusersRing;

 protected:
  Requests hop_of_sums(const RingStep& step, const Blocks&, const KeysAndValues& out,
                       const KeysAndValues& in) const override {
    const std::vector<ConstView> sent{out.key.all(), out.value.all()};
    const std::vector<View> received{in.key.all(), in.value.all()};
    return permute(step.rank.communicator, step.rank.ring, step.places() - 1, sent, received);
  }
};

const Registrations<Mutant> registered{
    {.name = "diffusers/ring/as_published/backward",
     .summary = "takes keys, O and log_sum_exp of its first block for those of every step of the backward pass",
     .source = "huggingface/diffusers #14265, up to 0.42.0",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x2x2x1 pass=forward+backward",
     .variant = "the first block at every step of 2 in the backward pass",
     .kernel = [] { return mesh_mutant<GradientsOfFirstBlock>("diffusers/ring/as_published/backward", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "diffusers/ring/as_published/mask",
     .summary = "masks the keys of every step as it masks its own",
     .source = "models/attention_dispatch.py of huggingface/diffusers 58eb52c, TemplatedRingAttention",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x2x2x1 mask=causal",
     .variant = "own mask at every step of 2",
     .kernel = [] { return mesh_mutant<OneMaskForAllShards>("diffusers/ring/as_published/mask", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "diffusers/ring/as_published/sums",
     .summary = "sends sums of dK and dV to the place that its next keys come from",
     .source = "huggingface/diffusers 0.42.1, TemplatedRingAttention",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x3x3x1 pass=forward+backward",
     .variant = "gradients of keys sent the wrong way round 3",
     .kernel = [] { return mesh_mutant<SumsGoAgainstKeys>("diffusers/ring/as_published/sums", ring_of_three); },
     .twin = [] { return mesh_twin(ring_of_three); }},
};

}  // namespace
}  // namespace attestone::inline mutants
