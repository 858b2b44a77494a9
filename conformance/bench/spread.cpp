// SPDX-License-Identifier: Apache-2.0
// Quantiles by interpolation, and least squares.
#include "conformance/bench/spread.hpp"

#include <algorithm>
#include <cmath>

#include "reference/require.hpp"

namespace attestone::inline conformance {
namespace {

/// The quantile of sorted numbers.
double quantile(const std::vector<double>& all, double share) {
  const double place = share * static_cast<double>(all.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, all.size() - 1);
  return all[below] + (place - static_cast<double>(below)) * (all[above] - all[below]);
}

}  // namespace

Spread spread_of(std::vector<double> all) {
  require(!all.empty(), "what was never measured has no spread");
  std::sort(all.begin(), all.end());
  return {all.front(), quantile(all, 0.25), quantile(all, 0.5), quantile(all, 0.75), all.back()};
}

double median_of(std::vector<double> all) { return spread_of(std::move(all)).median; }

std::optional<double> fitted_slope(const std::vector<std::pair<double, double>>& points) {
  double x_mean = 0, y_mean = 0, squares = 0, products = 0;
  const auto count = static_cast<double>(points.size());
  for (const auto& [x, y] : points) x_mean += std::log(x) / count, y_mean += std::log(y) / count;
  for (const auto& [x, y] : points) {
    squares += (std::log(x) - x_mean) * (std::log(x) - x_mean);
    products += (std::log(x) - x_mean) * (std::log(y) - y_mean);
  }
  constexpr double rounding = 1e-20;
  if (!(squares > rounding)) return std::nullopt;
  return products / squares;
}

}  // namespace attestone::inline conformance
