// SPDX-License-Identifier: Apache-2.0
// Choosing the size that a static scale is made of, from numbers that were seen before.
#pragma once

#include <span>
#include <string_view>

#include "reference/numerics/operand_codes.hpp"

namespace attestone::inline backends {

/// How a size is chosen (H. Wu et al., "Integer Quantization for Deep Learning Inference", arXiv 2004.09602, section
/// 5).
enum class Calibration {
  largest,      ///< that of the largest number: nothing that was seen saturates
  percentile,   ///< 99.9 % of the sizes are no larger
  least_error,  ///< with which the codes' sum of squared errors is least, of 64 shares of the largest
};

/// "largest", "percentile", "least_error".
std::string_view name(Calibration);

/// The size, of at least one number that is not 0.
float calibrated_largest(std::span<const float> seen, CodeRule, Calibration);

/// How many numbers a size saturates.
index saturated(std::span<const float> numbers, float largest);

}  // namespace attestone::inline backends
