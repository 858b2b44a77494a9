// SPDX-License-Identifier: Apache-2.0
// Comparing a gain with its bound.
#include "conformance/properties/gain_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace attestone::inline conformance {

Verdict gain_verdict(std::string_view tensor, std::string_view part, const Gain& gain, const char* zeros_would_pass) {
  if (!gain.says_anything()) return Verdict::inconclusive("weak-case", "nothing but zeros to compare with");
  if (gain.bound_lies_in(std::abs(gain.gain() - 1), 1)) return Verdict::passed();
  if (std::abs(gain.gain() - 1) > gain.bound())
    return Verdict::failed("wrong-gain", fmt::format("{} is {:.6g} times the truth {}; rounding explains 1 +- {:.2g}",
                                                     tensor, gain.gain(), part, gain.bound()));
  if (!(gain.bound() < 1)) return Verdict::inconclusive("weak-case", zeros_would_pass);
  return Verdict::passed();
}

bool rounds_to_narrow_formats(const Numerics& numerics) {
  const double finest = dtype("f32").unit_roundoff();
  return std::max({numerics.weight.cast.roundoff, numerics.gradient.cast.roundoff, numerics.output.cast.roundoff}) >
         finest;
}

bool errors_are_a_sample(const Problem& problem, const Numerics& numerics) {
  const bool smooth = problem.fill.name == "normal" || problem.fill.name == "uniform";
  return smooth && problem.formats.empty() && rounds_to_narrow_formats(numerics);
}

void note_deviation(Verdict& verdict, std::string_view statistic, const Gain& gain) {
  if (!gain.says_anything()) return;
  const GainDeviation sample = gain.deviation();
  const bool usable = std::isfinite(sample.error) && std::isfinite(sample.systematic) && sample.variance > 0;
  if (usable) verdict.deviations.push_back({statistic, sample});
}

}  // namespace attestone::inline conformance
