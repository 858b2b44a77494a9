// SPDX-License-Identifier: Apache-2.0
// SageAttention3 as the catalogue sees it: declared arithmetic, and heads one by one.
#include "backends/cpu/quantized_kernels/sage3_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "backends/catalogue.hpp"
#include "backends/cpu/parts/limits.hpp"
#include "backends/cpu/parts/row_by_row.hpp"
#include "reference/numerics/declared_class.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

constexpr const char* entry_name = "sage3_fp4";
constexpr double exp2_error = 0x1p-23;  // of a C library
constexpr double cut = 0x1p-23;         // the unit keeps so much of its sums, and more of what it adds

void declare_scores(const Problem& problem, const Sage3& algorithm, ScoreStage& score) {
  const DType& input = problem.input;
  score.query_codes = algorithm.query_codes;
  score.key_codes = algorithm.key_codes;
  score.accumulator.roundoff = cut;
  score.accumulator.truncates = true;
  const Cast stored = gradual_cast(input);
  score.query_mean_product.roundoff =
      stored.roundoff + static_cast<double>(problem.shape.dim + 1) * dtype("f32").unit_roundoff();
  score.query_mean_product.underflow = stored.underflow;
  // Limits as in kernels with scores in f32; and the product with the mean must be a number of the input format.
  constexpr double largest = 0x1p19;
  score.stored.largest = std::min(largest, input.largest());
}

/// P / s, at most 6, is rounded to e2m1: by 1/4 of itself, or below 1 by up to 1/4; and s to e4m3.
void declare_weights(WeightStage& weight) {
  const DType& scale = dtype("e4m3");
  const DType& code = dtype("e2m1");
  constexpr double quotient = 1 + 0x1p-20;  // of P and s, in f32
  const double raised = double{Sage3::largest};
  weight.cast.roundoff = ((1 + code.unit_roundoff()) * (1 + scale.unit_roundoff()) - 1) * quotient;
  weight.block_cast = {.of_largest = (1 + scale.unit_roundoff()) * code.underflow() / code.largest() * quotient,
                       .keys = ScaledUnitValues::sharing,
                       .smallest_normal = code.smallest_normal() / code.largest() * quotient};
  weight.cast.underflow = code.largest() * scale.underflow() / raised;
  weight.cast.smallest_normal = code.largest() * scale.smallest_normal() / raised;
  weight.reference_below = std::log(raised);
  weight.visits = Visits::descending;
  weight.tile_keys = Sage3::tile;
}

void declare_products(const Sage3& algorithm, ValueStage& value) {
  constexpr index groups = Sage3::tile / 64;
  value.codes = algorithm.value_codes;
  value.accumulator.roundoff = 2 * dtype("f32").unit_roundoff();
  value.accumulator.truncates = true;
  value.fresh_accumulator_per_tile = true;
  value.tile_roundoff = cut;
  value.tile_roundings = groups * 2;  // of the four terms, which keep twelve bits more, and of what is kept
}

}  // namespace

std::string Sage3Attention::name() const { return kernel_text(*Registry<KernelEntry>::find(entry_name), settings_); }

Support Sage3Attention::supports(const Problem& problem) const { return taken_row_by_row(problem); }

Numerics Sage3Attention::numerics(const Problem& problem) const {
  Numerics numerics = float_numerics(problem, exp2_error);
  declare_scores(problem, algorithm_, numerics.score);
  declare_weights(numerics.weight);
  declare_products(algorithm_, numerics.value);
  numerics.tile_queries = Sage3::tile;
  numerics.invariant = Invariance::batch | Invariance::heads;
  return numerics;
}

index Sage3Attention::forward_bytes(const Problem& problem) const { return Sage3Head::bytes(problem, algorithm_); }

void Sage3Attention::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  Sage3Head of_head(device, problem, algorithm_);
  attend_row_by_row(of_head, problem, arguments, device);
}

namespace {

const Registration<KernelEntry> registered{{
    .name = entry_name,
    .summary = "SageAttention3: Q, K, V and P in four bits, whose scales are e4m3 (CUDA, sm120)",
    .settings = {{"mean", "block", one_of({"block", "head"}), "which rows of Q lose the mean of theirs"}},
    .examples = {"mean=head"},
    .make = [](const Settings& settings) -> SharedKernel {
      return std::make_shared<Sage3Attention>(settings, Sage3(settings.text("mean") == "head"));
    },
}};

}  // namespace
}  // namespace attestone::inline backends
