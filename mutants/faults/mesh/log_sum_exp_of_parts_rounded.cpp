// SPDX-License-Identifier: Apache-2.0
// Mutant: statistics in the format of the output.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class LogSumExpOfPartsRounded final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  void before_merge(const RingStep& step, const Blocks&, Buffer&, Buffer& log_sum_exp) const override {
    round_through(step.whole().output, log_sum_exp.all());
  }
};

const Registration<Mutant> registered{{
    .name = "log_sum_exp_of_parts_rounded",
    .summary = "rounds log_sum_exp of every block to the output format before it merges by it",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x1x2x1 dtype=bf16",
    .kernel = [] { return mesh_mutant<LogSumExpOfPartsRounded>("log_sum_exp_of_parts_rounded", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
