// SPDX-License-Identifier: Apache-2.0
// Sizes in order, and the errors of codes.
#include "backends/cpu/quantization/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/cpu/quantization/quantizer.hpp"
#include "reference/require.hpp"

namespace attestone::inline backends {
namespace {

std::vector<float> sizes_of(std::span<const float> numbers) {
  std::vector<float> sizes;
  for (const float x : numbers) sizes.push_back(std::fabs(x));
  return sizes;
}

/// The smallest size that this share of all does not exceed.
float percentile_of(std::vector<float> sizes, double share) {
  const auto place = static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(sizes.size()))) - 1;
  std::ranges::nth_element(sizes, sizes.begin() + place);
  return sizes[static_cast<std::size_t>(place)];
}

double squared_error(std::span<const float> numbers, const Quantizer& quantizer, float largest) {
  const float scale = quantizer.scale(largest);
  double sum = 0;
  for (const float x : numbers) {
    const double error = double{quantizer.code(x, largest, scale)} * double{scale} - double{x};
    sum += error * error;
  }
  return sum;
}

}  // namespace

std::string_view name(Calibration calibration) {
  switch (calibration) {
    case Calibration::largest:
      return "largest";
    case Calibration::percentile:
      return "percentile";
    case Calibration::least_error:
      break;
  }
  return "least_error";
}

float calibrated_largest(std::span<const float> seen, CodeRule rule, Calibration calibration) {
  constexpr double share_within = 0.999;
  constexpr int shares = 64;
  const std::vector<float> sizes = sizes_of(seen);
  const float largest = sizes.empty() ? 0 : std::ranges::max(sizes);
  require(largest > 0, "a scale is calibrated on numbers that are not all 0");
  if (calibration == Calibration::largest) return largest;
  if (calibration == Calibration::percentile) {
    const float size = percentile_of(sizes, share_within);
    return size > 0 ? size : largest;
  }
  float best = largest;
  double least = squared_error(seen, quantizer(rule), largest);
  for (int part = 1; part < shares; ++part) {
    const float size = largest * static_cast<float>(part) / shares;
    const double error = squared_error(seen, quantizer(rule), size);
    if (error < least) least = error, best = size;
  }
  return best;
}

index saturated(std::span<const float> numbers, float largest) {
  return std::ranges::count_if(numbers, [&](float x) { return std::fabs(x) > largest; });
}

}  // namespace attestone::inline backends
