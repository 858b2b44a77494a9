// SPDX-License-Identifier: Apache-2.0
// A right kernel: Scores as SageAttention3 makes them, NVFP4 codes of Q and of K less its mean, sixteen channels to
// an e4m3 scale; softmax and P V in f32, nothing is cast.
#include "mutants/hosts/coded_operands/kernel.hpp"
#include "mutants/hosts/coded_operands/operands.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::coded_operands {
namespace {

const Registration<Twin> registered{{
    .name = "right_nvfp4",
    .summary = "scores as SageAttention3 makes them, NVFP4 codes of Q and of K less its mean; softmax and P V in f32",
    .batch = "seventh",
    .kernel =
        [] {
          return kernel("right_nvfp4", softmax::two_passes<Nvfp4Operands>,
                        {.numerics = std::string(nvfp4_scores) + "weight_roundoff=0 weight_underflow=0"});
        },
}};

}  // namespace
}  // namespace attestone::inline mutants::coded_operands
