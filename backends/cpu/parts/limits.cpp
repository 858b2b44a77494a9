// SPDX-License-Identifier: Apache-2.0
// The refusals and the declaration that the CPU kernels share.
#include "backends/cpu/parts/limits.hpp"

#include <algorithm>
#include <array>

#include "backends/cpu/score_row.hpp"

namespace attestone {
namespace {

bool has_codec(const DType& format) {
  constexpr std::array<std::string_view, 3> known{"f32", "f16", "bf16"};
  return std::find(known.begin(), known.end(), format.name) != known.end();
}

}  // namespace

Support common_limits(const Problem& problem) {
  for (const DType* format : {&problem.input, &problem.output})
    if (!has_codec(*format)) return Support::refused("works on f32, f16 and bf16, not on " + std::string(format->name));
  if (const auto rule = ScoreRow::unknown_rule(problem.score))
    return Support::refused("knows the biases alibi and relative_position, not " + *rule);
  return {};
}

Numerics float_numerics(const Problem& problem) {
  const DType& f32 = dtype("f32");
  const DType& weight = problem.input;
  const bool cast = weight.name != "f32";
  Numerics numerics;
  numerics.class_name = cast ? std::string(weight.name) + "-P" : "fp32";
  numerics.accumulator_roundoff = f32.unit_roundoff();
  numerics.accumulator_largest = f32.largest();
  numerics.score_largest = f32.largest();
  numerics.tanh_error = float_tanh_error;
  numerics.weight_roundoff = cast ? weight.unit_roundoff() : 0;
  numerics.weight_underflow = cast ? weight.underflow() : 0;
  numerics.weight_smallest_normal = weight.smallest_normal();
  numerics.score_gradient_roundoff = numerics.weight_roundoff;
  numerics.score_gradient_underflow = numerics.weight_underflow;
  numerics.score_gradient_largest = weight.largest();
  numerics.output_roundoff = problem.output.unit_roundoff();
  numerics.output_underflow = problem.output.underflow();
  numerics.output_largest = problem.output.largest();
  numerics.log_sum_exp_roundoff = f32.unit_roundoff();
  return numerics;
}

}  // namespace attestone
