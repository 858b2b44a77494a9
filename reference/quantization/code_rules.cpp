// SPDX-License-Identifier: Apache-2.0
// The table of rules: what each divides by, how it rounds, and in which format.
#include "reference/quantization/code_rules.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "reference/dtypes/dtype.hpp"
#include "reference/require.hpp"

namespace attestone {
namespace {

/// How x is scaled before it is rounded to a code.
enum class Quotient {
  by_scale,        ///< x / scale
  by_inverse,      ///< x * (1 / scale), and 0 where the scale is
  towards_target,  ///< x * (target / largest)
};

enum class CodeRounding {
  half_added,  ///< 1/2 is added to the size, in f32, and the sum cut off: ties go away from zero
  nearest,     ///< ties to even
};

enum class ScaleFormat {
  one,  ///< there is no scale
  f32,
  e4m3,
  power_of_two,  ///< the largest that is no larger than the largest number's, less the exponent of the target
};

/// A code is a number of `format` of at most its largest; the largest number of a group becomes `target`.
struct Rule {
  CodeRule rule;
  std::string_view format;  ///< of codes; empty: integers from -limit - 1 to limit
  double target;
  double limit;  ///< of integers
  Quotient quotient;
  CodeRounding rounding;
  ScaleFormat scale = ScaleFormat::f32;
  double added = 0;  ///< to the scale
  double least = 0;  ///< the largest number counts as no less
};

/// SageAttention writes it as a number of f32.
constexpr double small = 1e-7f;

constexpr Rule rules[] = {
    {CodeRule::f16, "f16", 65504, 0, Quotient::by_scale, CodeRounding::nearest, ScaleFormat::one},
    {CodeRule::int8_block, "", 127, 127, Quotient::by_scale, CodeRounding::half_added},
    {CodeRule::int8_thread, "", 127, 127, Quotient::by_scale, CodeRounding::half_added, ScaleFormat::f32, small},
    {CodeRule::int4_thread, "", 7, 7, Quotient::by_scale, CodeRounding::half_added, ScaleFormat::f32, small},
    {CodeRule::int8_cuda, "", 127, 127, Quotient::towards_target, CodeRounding::nearest, ScaleFormat::f32, 0, small},
    {CodeRule::int8_block_128, "", 128, 127, Quotient::by_scale, CodeRounding::half_added},
    {CodeRule::int8_cuda_128, "", 128, 127, Quotient::towards_target, CodeRounding::nearest, ScaleFormat::f32, 0,
     small},
    {CodeRule::e4m3, "e4m3", 448, 0, Quotient::towards_target, CodeRounding::nearest},
    {CodeRule::e4m3_small, "e4m3", 2.25, 0, Quotient::towards_target, CodeRounding::nearest},
    {CodeRule::nvfp4, "e2m1", 6, 0, Quotient::by_inverse, CodeRounding::nearest, ScaleFormat::e4m3},
    {CodeRule::mxfp4, "e2m1", 4, 0, Quotient::by_scale, CodeRounding::nearest, ScaleFormat::power_of_two},
    {CodeRule::mxfp8, "e4m3", 256, 0, Quotient::by_scale, CodeRounding::nearest, ScaleFormat::power_of_two},
};

const Rule& rule_of(CodeRule wanted) {
  const auto* found = std::ranges::find(rules, wanted, &Rule::rule);
  require(found != std::end(rules), "codes are asked of a rule that makes some");
  return *found;
}

/// To f32. (A quotient of two of its numbers that was rounded to double first becomes the same: 53 >= 2 * 24 + 2.)
double single(double x) { return static_cast<double>(static_cast<float>(x)); }

double scale_of(const Rule& rule, double largest) {
  if (rule.scale == ScaleFormat::one) return 1;
  if (rule.scale == ScaleFormat::power_of_two) {
    if (largest == 0) return 0x1p-127;
    return std::ldexp(1.0, std::clamp(std::ilogb(largest) - std::ilogb(rule.target), -127, 127));
  }
  const double scale = single(single(std::max(largest, rule.least) / rule.target) + rule.added);
  return rule.scale == ScaleFormat::e4m3 ? dtype("e4m3").round(scale, Rounding::nearest_even, Overflow::saturate)
                                         : scale;
}

double quotient(const Rule& rule, double x, double largest, double scale) {
  switch (rule.quotient) {
    case Quotient::by_scale:
      return scale == 0 ? 0 : single(x / scale);
    case Quotient::by_inverse:
      return scale == 0 ? 0 : single(x * single(1 / scale));
    case Quotient::towards_target:
      break;
  }
  // 0 stays 0, and nothing becomes more than the target, even where the quotient overflows.
  const double reached = x == 0 ? 0 : single(x * single(rule.target / std::max(largest, rule.least)));
  return rule.format.empty() ? reached : std::clamp(reached, -rule.target, rule.target);
}

double rounded(const Rule& rule, double x) {
  if (rule.scale == ScaleFormat::one) return dtype(rule.format).round(x);
  if (!rule.format.empty()) return dtype(rule.format).round(x, Rounding::nearest_even, Overflow::saturate);
  const double whole =
      rule.rounding == CodeRounding::nearest ? std::nearbyint(x) : std::trunc(single(x + std::copysign(0.5, x)));
  return std::clamp(whole, -rule.limit - 1, rule.limit);
}

}  // namespace

CodeGroup::CodeGroup(CodeRule rule, double largest)
    : rule_(rule), largest_(largest), scale_(scale_of(rule_of(rule), largest)) {}

double CodeGroup::read(double x) const {
  const Rule& rule = rule_of(rule_);
  return rounded(rule, quotient(rule, x, largest_, scale_)) * scale_;
}

double CodeGroup::slack(double x, double quotient_error) const {
  const Rule& rule = rule_of(rule_);
  const double exact = quotient(rule, x, largest_, scale_), code = rounded(rule, exact);
  const auto apart = [&](double off) { return std::abs(rounded(rule, exact * (1 + off)) - code); };
  return std::max(apart(-quotient_error), apart(quotient_error)) * scale_;
}

}  // namespace attestone
