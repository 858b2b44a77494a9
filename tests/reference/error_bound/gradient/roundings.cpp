// SPDX-License-Identifier: Apache-2.0
// Operations that err by exactly what is declared.
#include "tests/reference/error_bound/gradient/roundings.hpp"

#include <algorithm>
#include <cmath>

namespace attestone::emulation {

Extended Roundings::rounded(Extended x, double roundoff, double underflow, double normal) {
  if (roundoff == 0 && underflow == 0) return x;
  const int sign = next_ < signs.size() ? signs[next_] : 0;
  ++next_;
  if (x == 0) return x;
  // Just less than it may be: a result that was 0 is then below the normal range still.
  constexpr Extended nearly = 1 - 0x1p-20L;
  const Extended size = std::abs(x) < static_cast<Extended>(normal) ? nearly * static_cast<Extended>(underflow)
                                                                    : static_cast<Extended>(roundoff) * std::abs(x);
  return x + static_cast<Extended>(sign) * size;
}

Extended Roundings::cast(Extended x, const Cast& format) {
  if (format.roundoff == 0 && format.underflow == 0) return x;
  return rounded(x, format.roundoff, format.underflow, std::max(format.smallest_normal, format.underflow));
}

Extended Roundings::read(Extended x, const Accumulator& a) {
  const bool normal = std::abs(x) >= static_cast<Extended>(a.underflow);
  return rounded(x, 0, normal ? 0 : static_cast<double>(std::abs(x)), a.underflow);
}

Extended Roundings::sum_of_products(const std::vector<Extended>& x, const std::vector<Extended>& y,
                                    const Accumulator& a) {
  if (a.truncates) return sum_of_blocks(x, y, a);
  Extended sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Extended product = once(x[i] * y[i], a);
    sum = i == 0 ? product : once(sum + product, a);
  }
  return sum;
}

Extended Roundings::sum_of_blocks(const std::vector<Extended>& x, const std::vector<Extended>& y,
                                  const Accumulator& a) {
  Extended sum = 0;
  for (std::size_t from = 0; from < x.size(); from += 4) {
    const std::size_t end = std::min(from + 4, x.size());
    Extended largest = std::abs(sum);
    for (std::size_t i = from; i < end; ++i) largest = std::max(largest, std::abs(x[i] * y[i]));
    const Extended last = static_cast<Extended>(a.roundoff) * largest;
    const auto cut = [&](Extended each, bool exact) {
      const Extended error = rounded(last, 1, 0, 0) - last;
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
    const Extended result = rounded(sum, a.roundoff, 0, 0);
    if (addends > 1) sum = result;
  }
  return sum;
}

Extended Roundings::sum(const std::vector<Extended>& x, const Accumulator& a) {
  Extended sum = 0;
  for (const Extended each : x) sum = once(sum + each, a);
  return sum;
}

}  // namespace attestone::emulation
