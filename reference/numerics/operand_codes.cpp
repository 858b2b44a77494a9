// SPDX-License-Identifier: Apache-2.0
// How coarse the codes of each rule are, and the signs of a rotation.
#include "reference/numerics/operand_codes.hpp"

#include <algorithm>
#include <cstdint>

namespace attestone {

bool is_negated(index channel) {
  // The first step of SplitMix64 (G. Steele et al., OOPSLA 2014).
  std::uint64_t z = (static_cast<std::uint64_t>(channel) + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return ((z ^ (z >> 31)) & 1) != 0;
}

double coarseness(const OperandCodes& codes) {
  constexpr double slack = 1 + 0x1p-16;  // scales and quotients are numbers of f32
  switch (codes.rule) {
    case CodeRule::none:
      return 0;
    case CodeRule::f16:
      return 0x1p-11;
    case CodeRule::int8_block:
    case CodeRule::int8_thread:
    case CodeRule::int8_cuda:
      return slack / (2 * 127);
    case CodeRule::int8_block_128:
    case CodeRule::int8_cuda_128:
      return slack / 128;
    case CodeRule::int4_thread:
      return slack / (2 * 7);
    case CodeRule::e4m3:
    case CodeRule::e4m3_small:
      return slack * 0x1p-4;
    case CodeRule::mxfp8:
      return slack / 8;  // up to 512 steps of the scale, where 448 is the largest
    case CodeRule::nvfp4:
    case CodeRule::mxfp4:
      break;
  }
  return slack / 4;  // up to 8, where 6 is the largest
}

double code_error(const OperandCodes& codes, double largest) {
  const double size = codes.centring == Centring::none ? largest : 2 * largest;
  if (codes.fixed_largest == 0) return coarseness(codes) * size;
  return coarseness(codes) * codes.fixed_largest + std::max(0.0, size - codes.fixed_largest);
}

}  // namespace attestone
