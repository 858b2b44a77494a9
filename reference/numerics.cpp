// SPDX-License-Identifier: Apache-2.0
// The default classes: what a kernel is held to that declares nothing (docs/tolerance.md, "Default classes").
#include "reference/numerics.hpp"

#include <cmath>

namespace attestone {
namespace {

/// Double throughout: exp and log within 2 ulp, tanh within the ulp that its two exponentials and division cost.
Numerics double_throughout() {
  const DType& f64 = dtype("f64");
  Numerics numerics;
  numerics.class_name = "fp64";
  numerics.accumulator_roundoff = f64.unit_roundoff();
  numerics.accumulator_largest = f64.largest();
  numerics.accumulator_underflow = f64.smallest_normal();
  numerics.score_largest = f64.largest();
  numerics.exp_error = numerics.log_error = 4 * f64.unit_roundoff();
  numerics.tanh_error = 8 * f64.unit_roundoff();
  return numerics;
}

/// Single precision throughout. The hyperbolic tangent may be the hardware's, good to 2^-11.
Numerics single_throughout() {
  const DType& f32 = dtype("f32");
  Numerics numerics;
  numerics.class_name = "fp32";
  numerics.accumulator_roundoff = f32.unit_roundoff();
  numerics.accumulator_largest = f32.largest();
  numerics.accumulator_underflow = f32.smallest_normal();
  numerics.score_largest = f32.largest();
  numerics.exp_error = numerics.log_error = 4 * f32.unit_roundoff();
  numerics.tanh_error = std::ldexp(1.0, -11);
  return numerics;
}

/// The arithmetic of FlashAttention: products summed in f32 by units that may truncate, weights and the gradients of
/// scores cast to the format of the inputs before they meet V, K and Q. An exponent range as narrow as f16's underflows
/// gradually; bf16 may flush.
Numerics narrow_weights(const DType& input) {
  Numerics numerics = single_throughout();
  const bool range_of_f32 = input.min_exponent() == dtype("f32").min_exponent();
  numerics.class_name = std::string(input.name) + "-P";
  numerics.accumulator_roundoff *= 2;
  numerics.accumulator_truncates = true;
  numerics.weight_roundoff = input.unit_roundoff();
  numerics.weight_smallest_normal = input.smallest_normal();
  numerics.weight_underflow = range_of_f32 ? input.smallest_normal() : input.underflow();
  numerics.score_gradient_roundoff = numerics.weight_roundoff;
  numerics.score_gradient_underflow = numerics.weight_underflow;
  numerics.score_gradient_largest = input.largest();
  return numerics;
}

}  // namespace

Numerics default_numerics(const DType& input, const DType& output) {
  Numerics numerics = input.name == "f64"   ? double_throughout()
                      : input.name == "f32" ? single_throughout()
                                            : narrow_weights(input);
  const bool may_flush = output.min_exponent() <= dtype("f32").min_exponent();
  const DType& log_sum_exp = dtype(output.name == "f64" ? "f64" : "f32");
  numerics.tile_keys = 1;
  numerics.output_roundoff = output.unit_roundoff();
  numerics.output_underflow = may_flush ? output.smallest_normal() : output.underflow();
  numerics.output_largest = output.largest();
  numerics.log_sum_exp_roundoff = log_sum_exp.unit_roundoff();
  return numerics;
}

}  // namespace attestone
