// SPDX-License-Identifier: Apache-2.0
// Mutant of the host with matrices: shows in blocks of zeros: a lone query of zeros, or one key alone, which
// without its mean is 0.
#include "mutants/hosts/sixth_batch/block_codes.hpp"
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : BlockInt8 {
  float code(float x, float scale) const override {
    const float y = x / scale;
    return std::trunc(y + (y >= 0 ? 0.5F : -0.5F));
  }
};

const Registration<Mutant> registered{{
    .name = "zero_block_divides",
    .summary = "codes are x / scale also in a block of zeros, whose scale is 0",
    .source = "thu-ml/SageAttention, sageattention/triton/quant_per_block.py",
    .property = "codes_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x4x1x5x2 dtype=f16 fill=few_valued",
    .kernel = [] { return kernel<Fault>("zero_block_divides"); },
    .twin = right_block_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
