// SPDX-License-Identifier: Apache-2.0
// Comparing tensors as PyTorch and NumPy do.
#include "conformance/kill_matrix/judges/distance.hpp"

#include <cmath>
#include <limits>

namespace attestone {

double largest_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double distance = std::abs(a[i] - b[i]);
    if (std::isnan(distance)) return std::numeric_limits<double>::quiet_NaN();
    if (distance > largest) largest = distance;
  }
  return largest;
}

double mean_distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty()) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

bool all_close(const std::vector<double>& got, const std::vector<double>& expected, const Closeness& allowed) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double x = got[i], r = expected[i];
    if (x == r || (allowed.equal_nan && std::isnan(x) && std::isnan(r))) continue;
    if (std::isinf(x) || std::isinf(r)) return false;
    if (!(std::abs(x - r) <= allowed.absolute + allowed.relative * std::abs(r))) return false;
  }
  return true;
}

}  // namespace attestone
