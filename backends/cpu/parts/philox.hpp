// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): random words without a state.
#pragma once

#include <array>
#include <cstdint>

namespace attestone::inline backends {

/// The first word of the block that a 64-bit key makes of a counter. Written so that compilers vectorise loops over it.
inline std::uint32_t first_philox_word(std::uint64_t key, const std::array<std::uint32_t, 4>& counter) {
  constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
  constexpr std::uint32_t bump_0 = 0x9E3779B9, bump_1 = 0xBB67AE85;  // golden ratio, sqrt(3) - 1
  constexpr int rounds = 10, word = 32;
  auto [c0, c1, c2, c3] = counter;
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> word);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t product_0 = multiplier_0 * c0, product_1 = multiplier_1 * c2;
    c0 = static_cast<std::uint32_t>(product_1 >> word) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(product_1);
    c2 = static_cast<std::uint32_t>(product_0 >> word) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(product_0);
    k0 += bump_0;
    k1 += bump_1;
  }
  return c0;
}

}  // namespace attestone::inline backends
