// SPDX-License-Identifier: Apache-2.0
// Mutant: another path for problems with dropout, which knows nothing of the ring.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class RingIgnoredWithDropout final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    if (step.whole().dropout > 0 && step.number > 0) return {};
    return MeshSteps::blocks(step);
  }
};

const Registration<Mutant> registered{{
    .name = "ring_ignored_with_dropout",
    .summary = "attends only to the keys of a device's own group where there is dropout",
    .source = "huggingface/diffusers PR #12563",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x1x4x1 dropout=0.5",
    .kernel = [] { return mesh_mutant<RingIgnoredWithDropout>("ring_ignored_with_dropout", two_by_two); },
    .twin = [] { return mesh_twin(two_by_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
