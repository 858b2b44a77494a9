// SPDX-License-Identifier: Apache-2.0
// Mutant: a merge that forgets its statistics once.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class LogSumExpOfHopForgotten final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  double merged_log_sum_exp(const RingStep& step, double before, double of_part) const override {
    if (step.number == step.places() - 1) return before;
    return MeshSteps::merged_log_sum_exp(step, before, of_part);
  }
};

const Registration<Mutant> registered{{
    .name = "log_sum_exp_of_hop_forgotten",
    .summary = "merges out of the last hop of a ring, and leaves log_sum_exp as it was",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return mesh_mutant<LogSumExpOfHopForgotten>("log_sum_exp_of_hop_forgotten", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
