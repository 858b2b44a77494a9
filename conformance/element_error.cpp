// SPDX-License-Identifier: Apache-2.0
// How far one element is from the truth.
#include "conformance/element_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

double element_error(double got, const Certified& truth, double bound, const DType& output,
                     const std::vector<double>* admissible) {
  if (admissible)
    return std::any_of(admissible->begin(), admissible->end(), [&](double answer) { return same(got, answer); })
               ? 0
               : infinity;
  if (!std::isfinite(truth.value)) return same(got, truth.value) ? 0 : infinity;
  if (std::isnan(got)) return infinity;
  if (std::isinf(got)) {
    const double furthest = truth.value + std::copysign(bound + truth.bound, got);
    return output.round(furthest) == got ? 0 : infinity;
  }
  return std::max(0.0, std::abs(got - truth.value) - truth.bound);
}

double share_of_budget(double error, double bound) {
  if (error == 0 || std::isinf(error)) return error;
  return error / bound;
}

double unit_in_last_place(const DType& dtype, double x) {
  const int exponent = x == 0 ? dtype.min_exponent : std::max(std::ilogb(x), dtype.min_exponent);
  return std::ldexp(1.0, exponent - dtype.precision + 1);
}

}  // namespace attestone
