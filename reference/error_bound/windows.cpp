// SPDX-License-Identifier: Apache-2.0
// Windows are laid greedily: each begins at the first quantity that its predecessor does not reach.
#include "reference/error_bound/windows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace attestone {

double windowed_quadrature(std::vector<Rounded> errors, double width) {
  const auto less = [](const Rounded& a, const Rounded& b) { return a.quantity < b.quantity; };
  if (!std::is_sorted(errors.begin(), errors.end(), less)) std::sort(errors.begin(), errors.end(), less);
  double squares = 0;
  for (auto first = errors.begin(); first != errors.end();) {
    double window = 0;
    auto next = first;
    for (; next != errors.end() && next->quantity - first->quantity <= width; ++next) window += next->error;
    if (next == first) ++next;  // a NaN reaches nothing, not even itself
    squares += window * window;
    first = next;
  }
  return lambda * std::sqrt(squares);
}

double windowed_sum(double sum, std::vector<Rounded> errors, double width) {
  if (static_cast<double>(errors.size()) <= lambda * lambda) return sum;
  return std::min(sum, windowed_quadrature(std::move(errors), width));
}

}  // namespace attestone
