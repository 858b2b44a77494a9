// SPDX-License-Identifier: Apache-2.0
// Mutant: a bias that learns from one hop.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class BiasGradientOfOwnKeys final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  std::optional<View> dbias(const RingStep& step) const override {
    if (step.number > 0) return std::nullopt;
    return MeshSteps::dbias(step);
  }
};

const Registration<Mutant> registered{{
    .name = "bias_gradient_of_own_keys",
    .summary = "adds to dBias on the first step of a ring only",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x1 score=bias:full pass=forward+backward",
    .kernel = [] { return mesh_mutant<BiasGradientOfOwnKeys>("bias_gradient_of_own_keys", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
