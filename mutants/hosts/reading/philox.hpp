// SPDX-License-Identifier: Apache-2.0
// Dropout: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), by the pair's place.
#pragma once

#include <cmath>
#include <cstdint>

namespace attestone::inline mutants::reading {

/// The first word of the block with counter (b, h, i, j).
inline std::uint32_t philox_word(std::uint64_t seed, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  auto c0 = static_cast<std::uint32_t>(b), c1 = static_cast<std::uint32_t>(h), c2 = static_cast<std::uint32_t>(i),
       c3 = static_cast<std::uint32_t>(j);
  auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t x = std::uint64_t{0xD2511F53u} * c0, y = std::uint64_t{0xCD9E8D57u} * c2;
    c0 = static_cast<std::uint32_t>(y >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(y);
    c2 = static_cast<std::uint32_t>(x >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(x);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c0;
}

/// A pair is kept if its word is at least this.
inline std::uint32_t dropout_threshold(double rate) { return static_cast<std::uint32_t>(std::floor(rate * 0x1p32)); }

/// The factor of a weight that dropout keeps.
inline float keep_factor(double rate) { return rate > 0 ? static_cast<float>(1 / (1 - rate)) : 1.0f; }

}  // namespace attestone::inline mutants::reading
