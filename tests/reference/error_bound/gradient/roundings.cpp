// SPDX-License-Identifier: Apache-2.0
// Operations that err by exactly what is declared.
#include "tests/reference/error_bound/gradient/roundings.hpp"

#include <algorithm>
#include <cmath>

namespace attestone::emulation {

Real Roundings::rounded(Real x, double roundoff, double underflow, double normal) {
  if (roundoff == 0 && underflow == 0) return x;
  const int sign = next_ < signs.size() ? signs[next_] : 0;
  ++next_;
  if (x == 0) return x;
  // Just less than it may be: a result that was 0 is then below the normal range still.
  constexpr Real nearly = 1 - 0x1p-20L;
  const Real size = std::abs(x) < static_cast<Real>(normal) ? nearly * static_cast<Real>(underflow)
                                                            : static_cast<Real>(roundoff) * std::abs(x);
  return x + static_cast<Real>(sign) * size;
}

Real Roundings::cast(Real x, const Cast& format) {
  if (format.roundoff == 0 && format.underflow == 0) return x;
  return rounded(x, format.roundoff, format.underflow, std::max(format.smallest_normal, format.underflow));
}

Real Roundings::read(Real x, const Accumulator& a) {
  const bool normal = std::abs(x) >= static_cast<Real>(a.underflow);
  return rounded(x, 0, normal ? 0 : static_cast<double>(std::abs(x)), a.underflow);
}

Real Roundings::sum_of_products(const std::vector<Real>& x, const std::vector<Real>& y, const Accumulator& a) {
  if (a.truncates) return sum_of_blocks(x, y, a);
  Real sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real product = once(x[i] * y[i], a);
    sum = i == 0 ? product : once(sum + product, a);
  }
  return sum;
}

Real Roundings::sum_of_blocks(const std::vector<Real>& x, const std::vector<Real>& y, const Accumulator& a) {
  Real sum = 0;
  for (std::size_t from = 0; from < x.size(); from += 4) {
    const std::size_t end = std::min(from + 4, x.size());
    Real largest = std::abs(sum);
    for (std::size_t i = from; i < end; ++i) largest = std::max(largest, std::abs(x[i] * y[i]));
    const Real last = static_cast<Real>(a.roundoff) * largest;
    const auto cut = [&](Real each, bool exact) {
      const Real error = rounded(last, 1, 0, 0) - last;
      return exact ? each : each + error;
    };
    // The accumulator ends where it is itself the largest; and a product that is alone is cut once.
    int addends = sum == 0 ? 0 : 1;
    sum = cut(sum, sum == 0 || std::abs(sum) == largest);
    for (std::size_t i = from; i < end; ++i) {
      const bool nothing = x[i] * y[i] == 0;
      addends += nothing ? 0 : 1;
      sum += cut(x[i] * y[i], nothing);
    }
    const Real result = rounded(sum, a.roundoff, 0, 0);
    if (addends > 1) sum = result;
  }
  return sum;
}

Real Roundings::sum(const std::vector<Real>& x, const Accumulator& a) {
  Real sum = 0;
  for (const Real each : x) sum = once(sum + each, a);
  return sum;
}

}  // namespace attestone::emulation
