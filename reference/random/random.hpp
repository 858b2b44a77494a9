// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: every draw is a pure function of a seed and a place, whoever asks first.
#pragma once

#include <array>
#include <cstdint>

#include "reference/shape.hpp"

namespace attestone {

/// The random words of one place: Philox4x32-10 (Salmon et al., SC 2011) with the seed as key and the place as counter.
class Draw {
 public:
  using Place = std::array<std::uint32_t, 4>;
  using Words = std::array<std::uint32_t, 4>;
  Draw(std::uint64_t seed, const Place& place);
  /// One whose words are known.
  explicit constexpr Draw(const Words& words) : words_(words) {}
  constexpr Draw() = default;

  /// `which` is 0 to 3.
  std::uint32_t word(int which) const { return words_[static_cast<std::size_t>(which)]; }
  /// In [0, 1), a multiple of 2^-32. `which` is 0 to 3.
  double uniform(int which = 0) const;
  /// From `least` to `most`, both included. `which` is 0 to 3.
  index integer(index least, index most, int which = 0) const;

 private:
  Words words_{};
};

}  // namespace attestone
