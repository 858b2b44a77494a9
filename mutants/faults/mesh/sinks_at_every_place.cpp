// SPDX-License-Identifier: Apache-2.0
// Mutant: sinks among the keys of every device.
#include <cmath>

#include "backends/cpu/attend/merge.hpp"
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// A local kernel whose keys have the sink among them; those of a part have none.
KernelChanges with_sink(const Rank& rank) {
  const std::optional<ConstView> sinks = rank.attention.inputs().sink;
  if (!sinks) return {};
  return {.forward = [sinks](const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
    honest.forward(problem, arguments, device);
    const View &out = arguments.out, &weight = arguments.log_sum_exp;
    for_each_element(weight, [&](index batch, index head, index row, index) {
      const double of_keys = weight.value(batch, head, row, 0);
      const double all = log_of_both(of_keys, sinks->value(0, head, 0, 0));
      weight.set(batch, head, row, 0, all);
      for (index c = 0; c < problem.shape.value_dim; ++c)
        out.set(batch, head, row, c, out.value(batch, head, row, c) * std::exp(of_keys - all));
    });
  }};
}

const Registration<Mutant> registered{{
    .name = "sinks_at_every_place",
    .summary = "counts the sinks once for every place that answers to a query",
    .source = "ROCm/rocm-libraries #12227",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1 score=sink:head",
    .kernel = [] { return mesh_mutant("sinks_at_every_place", keys_of_two, {.local = with_sink}); },
    .twin = [] { return mesh_twin(keys_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
