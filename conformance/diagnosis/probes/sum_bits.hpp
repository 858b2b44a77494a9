// SPDX-License-Identifier: Apache-2.0
// The accumulator read-out: how many bits a kernel keeps below its largest term where it adds up P V.
#pragma once

#include <optional>
#include <string>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// Fraction bits below the leading one of the largest term; all_bits where no loss shows.
struct SumBits {
  static constexpr int all_bits = 21;
  int within;  ///< among neighbouring keys: in one instruction of a matrix unit
  int across;  ///< among keys of several instructions of one tile: in what is carried from each to the next

  bool operator==(const SumBits&) const = default;
};

/// From rows of equal weights, since Q is 0, and V = 1, 2^-k, -1: what is left of 2^-k has been through a sum beside 1
/// (SageAttention2, arXiv 2411.10958, section 3.4). The channel's scale is that of 7/4, whose keys come first and
/// cancel each other, so that 1 is a power of two among e4m3 codes. Codes that the kernel declares are taken for what
/// they are.
///
/// Nothing if the last row of the first sequence does not see its first 48 keys, if V loses a mean, if O is no such
/// sum, or if the formats and codes of V end before a loss shows.
std::optional<SumBits> sum_bits(const Kernel&, const Problem&);

/// "its sums of P V keep 13 bits below the largest term, as ada.e4m3.f32 and ... do", if that is less than the kernel
/// declares; empty otherwise.
std::string sum_bits_read_out(const Kernel&, const Problem&);

}  // namespace attestone::inline conformance
