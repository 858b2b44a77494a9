// SPDX-License-Identifier: Apache-2.0
// Mutant: sinks among the keys of every block.
#include <cmath>

#include "backends/cpu/attend/merge.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class SinksAtEveryHop final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  void before_merge(const RingStep& step, const Blocks&, Buffer& out, Buffer& log_sum_exp) const override {
    const auto& sinks = step.rank.attention.inputs().sink;
    if (!sinks || step.number == 0) return;
    for_each_element(log_sum_exp.all(), [&](index, index head, index row, index) {
      const double of_keys = log_sum_exp.all().value(0, head, row, 0);
      const double all = log_of_both(of_keys, sinks->value(0, step.queries.heads.query.first + head, 0, 0));
      log_sum_exp.all().set(0, head, row, 0, all);
      for (index c = 0; c < out.channels(); ++c)
        out.all().set(0, head, row, c, out.all().value(0, head, row, c) * std::exp(of_keys - all));
    });
  }
};

const Registration<Mutant> registered{{
    .name = "sinks_at_every_hop",
    .summary = "counts the sinks once for every hop of a ring",
    .source = "ROCm/rocm-libraries #12227",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1 score=sink:head",
    .variant = "sink twice",
    .kernel = [] { return mesh_mutant<SinksAtEveryHop>("sinks_at_every_hop", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
