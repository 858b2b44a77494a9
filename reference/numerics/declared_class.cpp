// SPDX-License-Identifier: Apache-2.0
// The default classes (docs/tolerance.md, "Default classes"), and comparing with them.
#include "reference/numerics/declared_class.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "reference/numerics/declaration.hpp"
#include "reference/numerics/fields.hpp"

namespace attestone {
namespace {

constexpr double ulps = 2;  // of exp and log, each twice the unit roundoff

/// One format throughout, with exp and log within 2 ulp.
Numerics throughout(const DType& format, double tanh_error) {
  Numerics numerics;
  set_accumulators(
      numerics,
      {.roundoff = format.unit_roundoff(), .largest = format.largest(), .underflow = format.smallest_normal()});
  for (Cast* cast : {&numerics.score.stored, &numerics.merge.out, &numerics.gradient.stored, &numerics.gradient.cast,
                     &numerics.gradient.part})
    cast->largest = format.largest();
  numerics.weight.exp_error = numerics.merge.exp_error = 2 * ulps * format.unit_roundoff();
  numerics.output.log_error = numerics.merge.log_error = 2 * ulps * format.unit_roundoff();
  numerics.merge.log_sum_exp_roundoff = format.unit_roundoff();
  numerics.score.tanh_error = tanh_error;
  return numerics;
}

/// tanh within the ulp that its two exponentials and division cost.
Numerics double_throughout() { return throughout(dtype("f64"), 8 * dtype("f64").unit_roundoff()); }

/// The hyperbolic tangent may be the hardware's, good to 2^-11.
Numerics single_throughout() { return throughout(dtype("f32"), std::ldexp(1.0, -11)); }

bool has_range_of_f32(const DType& format) { return format.min_exponent() <= dtype("f32").min_exponent(); }

/// An exponent range as narrow as f16's underflows gradually; bf16 may flush.
Cast usual_cast(const DType& format) { return has_range_of_f32(format) ? flushing_cast(format) : gradual_cast(format); }

/// The arithmetic of FlashAttention: products summed in f32 by units that may truncate, weights and the gradients of
/// scores cast to the format of the inputs before they meet V, K and Q.
Numerics narrow_weights(const DType& input) {
  Numerics numerics = single_throughout();
  Accumulator accumulator = numerics.value.accumulator;
  accumulator.roundoff *= 2;
  accumulator.truncates = true;
  set_accumulators(numerics, accumulator);
  numerics.weight.cast = numerics.gradient.cast = usual_cast(input);
  return numerics;
}

bool is_looser(double declared, double allowed, Looser looser) {
  return looser == Looser::larger ? declared > allowed : looser == Looser::smaller && declared < allowed;
}

}  // namespace

Cast gradual_cast(const DType& format) {
  return {format.unit_roundoff(), format.underflow(), format.largest(), format.smallest_normal()};
}

Cast flushing_cast(const DType& format) {
  return {format.unit_roundoff(), format.smallest_normal(), format.largest(), format.smallest_normal()};
}

Numerics default_numerics(const DType& input, const DType& output) {
  Numerics numerics = input.name == "f64"   ? double_throughout()
                      : input.name == "f32" ? single_throughout()
                                            : narrow_weights(input);
  numerics.weight.tile_keys = 1;
  numerics.output.cast = usual_cast(output);
  numerics.output.log_sum_exp_roundoff = dtype(output.name == "f64" ? "f64" : "f32").unit_roundoff();
  return numerics;
}

std::string default_class_name(const DType& input) {
  if (input.name == "f64") return "fp64";
  return input.name == "f32" ? "fp32" : std::string(input.name) + "-P";
}

std::vector<LooserField> looser_fields(const Numerics& declared, const DType& input, const DType& output) {
  const Numerics allowed = default_numerics(input, output);
  std::map<std::string, LooserField> found;
  const auto values = field_values(declared), of_class = field_values(allowed);
  std::size_t at = 0;
  for_each_field([&](const std::string& name, const auto& member, Looser looser) {
    const auto here = at++;
    if (is_looser(static_cast<double>(member(declared)), static_cast<double>(member(allowed)), looser))
      found[name] = {name, values[here].second, of_class[here].second,
                     std::abs(static_cast<double>(member(declared)) - static_cast<double>(member(allowed)))};
  });
  for (const ShortName& group : short_names()) {
    const auto same = [&](const std::string& name) {
      const auto here = found.find(name), first = found.find(group.fields.front());
      return here != found.end() && first != found.end() && here->second.declared == first->second.declared;
    };
    if (!std::ranges::all_of(group.fields, same)) continue;
    const LooserField first = found.at(group.fields.front());
    for (const std::string& name : group.fields) found.erase(name);
    found[group.name] = {group.name, first.declared, first.allowed, first.excess};
  }
  std::vector<LooserField> all;
  for (const auto& [name, field] : found) all.push_back(field);
  return all;
}

std::string class_name(const Numerics& declared, const DType& input, const DType& output) {
  const std::string name = default_class_name(input);
  return looser_fields(declared, input, output).empty() ? name : "looser than " + name;
}

}  // namespace attestone
