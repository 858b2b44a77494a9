// SPDX-License-Identifier: Apache-2.0
// The refusals and the declaration that the CPU kernels share.
#include "backends/cpu/parts/limits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/score_row.hpp"

namespace attestone {
namespace {

/// "f32, f16 and bf16"
std::string enumerated(std::vector<std::string_view> names) {
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

}  // namespace

Support common_limits(const Problem& problem) {
  const std::vector<std::string_view> known = codec_formats();
  for (const DType* format : {&problem.input, &problem.output})
    if (std::ranges::find(known, format->name) == known.end())
      return Support::refused(fmt::format("works on {}, not on {}", enumerated(known), format->name));
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
