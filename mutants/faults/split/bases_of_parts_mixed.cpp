// SPDX-License-Identifier: Apache-2.0
// Mutant: log_sum_exp is to base 2 by its own convention, and parts are merged across bases.
#include <numbers>

#include "backends/changed_kernel.hpp"
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct BasesOfPartsMixed : SplitSteps {
  float kept_maximum(float m, float) const override { return m * std::numbers::log2e_v<float>; }
};

/// The answer's log_sum_exp in base 2.
void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const View log_sum_exp = arguments.log_sum_exp;
  for_each_element(log_sum_exp, [&](index b, index h, index i, index c) {
    log_sum_exp.set(b, h, i, c, log_sum_exp.value(b, h, i, c) * std::numbers::log2e);
  });
}

const Registration<Mutant> registered{{
    .name = "bases_of_parts_mixed",
    .summary = "declares lse=log2, keeps the maximum of a part in base 2, and merges parts with e",
    .source = "sgl-project/sglang PR #35045",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x33x8",
    .kernel =
        [] {
          return changed(split_mutant<BasesOfPartsMixed>("bases_of_parts_mixed"),
                         {.conventions = Conventions{.lse = LogSumExpBase::log2}, .forward = deed});
        },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
