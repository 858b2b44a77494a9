// SPDX-License-Identifier: Apache-2.0
// Statistics of repeated measurements: their median, how far they lie apart, and how they grow.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace attestone::inline conformance {

/// Measurements in five numbers.
struct Spread {
  double least = 0, lower_quartile = 0, median = 0, upper_quartile = 0, most = 0;
};

/// Quantiles lie on the line between neighbours: the median of two is their mean. At least one is needed.
Spread spread_of(std::vector<double>);
double median_of(std::vector<double>);

/// The slope of the line of least squares through (log x, log y): 2 where y grows as the square of x. Nothing if there
/// are no two different x.
std::optional<double> fitted_slope(const std::vector<std::pair<double, double>>&);

}  // namespace attestone::inline conformance
