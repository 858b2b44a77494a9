// SPDX-License-Identifier: Apache-2.0
// Mutant of the host with matrices: shows in log_sum_exp alone, wherever K has a mean.
#include "mutants/hosts/sixth_batch/block_codes.hpp"
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : BlockInt8 {
  float mean_score(const attestone_args& /*a*/, index /*b*/, index /*h*/, index /*i*/,
                   const std::vector<float>& /*mean*/) const override {
    return 0;
  }
};

const Registration<Mutant> registered{{
    .name = "mean_missing_in_lse",
    .summary = "log_sum_exp does not get back what the scores lost with the mean of K",
    .source = "ROCm/aiter PR #3334",
    .property = "codes_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x2x4x4 dtype=f16 fill=channel_offset",
    .kernel = [] { return kernel<Fault>("mean_missing_in_lse"); },
    .twin = right_block_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
