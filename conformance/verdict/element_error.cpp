// SPDX-License-Identifier: Apache-2.0
// How far one element is from the truth.
#include "conformance/verdict/element_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attestone::inline conformance {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Admissible answers are rounded, as got is: a finite one may be off by that; a 0 is exact.
double distance_to_nearest(double got, const std::vector<double>& admissible, const DType& output) {
  double nearest = infinity;
  for (const double answer : admissible) {
    if (same(got, answer)) return 0;
    if (!std::isfinite(got) || !std::isfinite(answer) || answer == 0) continue;
    const double rounding = output.unit_roundoff() * std::abs(answer) + output.underflow();
    nearest = std::min(nearest, std::max(0.0, std::abs(got - answer) - rounding));
  }
  return nearest;
}

}  // namespace

double element_error(double got, const Certified& truth, double bound, const DType& output,
                     const std::vector<double>* admissible) {
  if (admissible && !(std::isfinite(got) && std::isfinite(truth.value)))
    return distance_to_nearest(got, *admissible, output);
  if (!std::isfinite(truth.value)) return same(got, truth.value) ? 0 : infinity;
  if (std::isnan(got)) return infinity;
  if (std::isinf(got)) {
    const double furthest = truth.value + std::copysign(bound + truth.bound, got);
    return output.round(furthest) == got ? 0 : infinity;
  }
  return std::max(0.0, std::abs(got - truth.value) - truth.bound);
}

void leave_open(Certified& element) { element.bound = infinity, element.non_finite = NonFinite::any; }

bool is_left_open(const Certified& element) {
  return std::isinf(element.bound) && element.non_finite == NonFinite::any;
}

std::optional<double> non_finite_error(double got, NonFinite beside) {
  if (beside == NonFinite::demanded) return std::isfinite(got) ? infinity : 0;
  if (beside == NonFinite::any && !std::isfinite(got)) return 0;
  if (beside == NonFinite::nan && std::isnan(got)) return 0;
  return std::nullopt;
}

double share_of_budget(double error, double bound) {
  if (error == 0 || std::isinf(error)) return error;
  return error / bound;
}

double unit_in_last_place(const DType& dtype, double x) {
  const int exponent = x == 0 ? dtype.min_exponent() : std::max(std::ilogb(x), dtype.min_exponent());
  return std::ldexp(1.0, exponent - dtype.precision() + 1);
}

}  // namespace attestone::inline conformance
