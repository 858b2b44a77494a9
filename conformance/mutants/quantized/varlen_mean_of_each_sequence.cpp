// SPDX-License-Identifier: Apache-2.0
// Mutant: K of packed sequences loses other means.
#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/cpu/coded/coded_attention.hpp"
#include "backends/cpu/coded/sage_algorithms.hpp"
#include "conformance/mutants/machinery/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

CodedAlgorithm wrong(const Settings&, const Problem&) {
  CodedAlgorithm algorithm = sage_varlen();
  algorithm.key_codes.mean_of_batch = false;
  return algorithm;
}

SharedKernel kernel() {
  const SharedKernel declared = make_kernel("sage_varlen");
  const Settings settings(Registry<KernelEntry>::find("sage_varlen")->settings);
  return changed(std::make_shared<CodedAttention>("sage_varlen", settings, wrong, AnsweredTensors::out),
                 {.name = "varlen_mean_of_each_sequence",
                  .numerics = [declared](const Problem& problem) { return declared->numerics(problem); }});
}

const Registration<Mutant> registered{{
    .name = "varlen_mean_of_each_sequence",
    .summary =
        "each sequence loses the mean of its own keys, where the released function takes that of all packed tokens",
    .source = "thu-ml/SageAttention, sageattention/core.py, sageattn_varlen",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=2x1x9x40x16 dtype=f16",
    .kernel = [] { return kernel(); },
    .twin = [] { return make_kernel("sage_varlen"); },
}};

}  // namespace
}  // namespace attestone
