// SPDX-License-Identifier: Apache-2.0
// Mutant: K of packed sequences loses other means.
#include "mutants/faults/quantized/coded_faults.hpp"
#include "mutants/mutant.hpp"

namespace attestone::inline mutants {
namespace {

CodedAlgorithm wrong(const Settings&, const Problem&) {
  CodedAlgorithm algorithm = sage_varlen();
  algorithm.key_codes.mean_of_batch = false;
  return algorithm;
}

const Registration<Mutant> registered{{
    .name = "varlen_mean_of_each_sequence",
    .summary =
        "each sequence loses the mean of its own keys, where the released function takes that of all packed tokens",
    .source = "thu-ml/SageAttention, sageattention/core.py, sageattn_varlen",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=2x1x9x40x16 dtype=f16",
    .kernel = [] { return computing("sage_varlen", wrong, "varlen_mean_of_each_sequence"); },
    .twin = [] { return make_kernel("sage_varlen"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
