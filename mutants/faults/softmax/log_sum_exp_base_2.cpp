// SPDX-License-Identifier: Apache-2.0
// Mutant: log_sum_exp is returned in base 2.
#include <cmath>
#include <numbers>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct LogSumExpBase2 : TiledSteps {
  float log_sum_exp(float m, float l) const override {
    return static_cast<float>(double{m} * std::numbers::log2e + std::log2(double{l}));
  }
};

const Registration<Mutant> registered{{
    .name = "log_sum_exp_base_2",
    .summary = "log_sum_exp is m log2(e) + log2(l)",
    .source = "sgl-project/sglang PR #35045",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x1x4x8",
    .variant = "log_sum_exp is base 2",
    .kernel = [] { return tiled_mutant<LogSumExpBase2>("log_sum_exp_base_2"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
