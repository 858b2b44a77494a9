// SPDX-License-Identifier: Apache-2.0
// diffusers before 0.42.1: every step of the backward pass is the first one again.
#include "backends/distributed/rank/local_attention.hpp"
#include "mutants/hosts/diffusers_ring.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

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

const Registration<Mutant> registered{{
    .name = "diffusers/ring/as_published/backward",
    .summary = "takes keys, O and log_sum_exp of its first block for those of every step of the backward pass",
    .source = "huggingface/diffusers #14265, up to 0.42.0",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x2x2x1 pass=forward+backward",
    .variant = "the first block at every step of 2 in the backward pass",
    .kernel = [] { return mesh_mutant<GradientsOfFirstBlock>("diffusers/ring/as_published/backward", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
