// SPDX-License-Identifier: Apache-2.0
// Mutant: log_sum_exp waits for the backward pass in the input format.
#include "backends/cpu/parts/codec.hpp"
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct LogSumExpInHalf : FusedSteps {
  float weight(float s, float L) const override { return FusedSteps::weight(s, rounded_to_bf16(L)); }
};

const Registration<Mutant> registered{{
    .name = "log_sum_exp_in_half",
    .summary = "recomputes weights from a log_sum_exp that was stored in bf16",
    .source = "pytorch/pytorch #119320",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x3x4 pass=forward+backward",
    .kernel = [] { return fused_mutant<LogSumExpInHalf>("log_sum_exp_in_half"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
