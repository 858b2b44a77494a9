// SPDX-License-Identifier: Apache-2.0
// The refusals and the declaration that the CPU kernels share.
#include "backends/cpu/parts/limits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/formula_bias.hpp"

namespace attestone::inline backends {
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
  if (const auto rule = FormulaBias::unknown_rule(problem.score))
    return Support::refused("knows the biases alibi and relative_position, not " + *rule);
  return {};
}

Invariance of_steps(const Problem& problem) {
  const Invariance always = Invariance::batch | Invariance::heads | Invariance::padding;
  return problem.mask.is_full() ? always | Invariance::chunks : always;
}

Numerics float_numerics(const Problem& problem, double exp_error) {
  const DType& f32 = dtype("f32");
  Numerics numerics;
  set_accumulators(numerics,
                   {.roundoff = f32.unit_roundoff(), .largest = f32.largest(), .underflow = f32.smallest_normal()});
  for (Cast* cast : {&numerics.score.stored, &numerics.merge.out, &numerics.gradient.stored, &numerics.gradient.cast,
                     &numerics.gradient.part})
    cast->largest = f32.largest();
  numerics.score.tanh_error = float_tanh_error;
  numerics.weight.exp_error = exp_error;
  if (problem.input.name != "f32") numerics.weight.cast = numerics.gradient.cast = gradual_cast(problem.input);
  numerics.output.cast = gradual_cast(problem.output);
  numerics.output.log_error = 2 * dtype("f64").unit_roundoff();  // log_sum_exp is put together in double
  numerics.output.log_sum_exp_roundoff = f32.unit_roundoff();
  return numerics;
}

}  // namespace attestone::inline backends
