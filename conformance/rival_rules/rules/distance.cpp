// SPDX-License-Identifier: Apache-2.0
// Comparing tensors as PyTorch and NumPy do.
#include "conformance/rival_rules/rules/distance.hpp"

#include <cmath>
#include <limits>

namespace attestone::inline conformance {
namespace {

bool is_close(double got, double expected, const Closeness& allowed) {
  if (got == expected || (allowed.equal_nan && std::isnan(got) && std::isnan(expected))) return true;
  if (std::isinf(got) || std::isinf(expected)) return false;
  return std::abs(got - expected) <= allowed.absolute + allowed.relative * std::abs(expected);
}

}  // namespace

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

std::size_t count_apart(const std::vector<double>& got, const std::vector<double>& expected, const Closeness& allowed) {
  std::size_t apart = 0;
  for (std::size_t i = 0; i < got.size(); ++i) apart += is_close(got[i], expected[i], allowed) ? 0 : 1;
  return apart;
}

bool all_close(const std::vector<double>& got, const std::vector<double>& expected, const Closeness& allowed) {
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!is_close(got[i], expected[i], allowed)) return false;
  return true;
}

}  // namespace attestone::inline conformance
