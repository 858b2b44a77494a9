// SPDX-License-Identifier: Apache-2.0
// Mutant: a merge that keeps the larger log_sum_exp.
#include <algorithm>

#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class LogSumExpByLargest final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  double merged_log_sum_exp(const RingStep&, double before, double of_part) const override {
    return std::max(before, of_part);
  }
};

const Registration<Mutant> registered{{
    .name = "log_sum_exp_by_largest",
    .summary = "takes the larger of two log_sum_exp where the logarithm of both sums is needed",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return mesh_mutant<LogSumExpByLargest>("log_sum_exp_by_largest", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
