// SPDX-License-Identifier: Apache-2.0
// From numbers to codes that share a scale, as each published kernel computes it: in f32, operation by operation.
#pragma once

#include <span>
#include <string_view>

#include "reference/numerics/operand_codes.hpp"

namespace attestone::inline backends {

/// One way to make a scale of the largest number of a group, and codes of its numbers. Quotients are IEEE's. The bits
/// of int8_block and int8_thread are those of their sources under Triton's interpreter; a GPU may take approximate
/// quotients there, and takes them in SageAttention's CUDA files, which are compiled with --use_fast_math.
struct Quantizer {
  CodeRule rule;
  std::string_view source;  ///< whose it is
  std::string_view format;  ///< of codes
  /// The factor of the codes of a group with this largest size.
  float (*scale)(float largest);
  /// The number that the code of x stands for.
  float (*code)(float x, float largest, float scale);
};

/// All of them.
std::span<const Quantizer> quantizers();

/// The one of a rule that makes codes.
const Quantizer& quantizer(CodeRule);

}  // namespace attestone::inline backends
