// SPDX-License-Identifier: Apache-2.0
// Draws of neighbours, which cost little more together than one alone.
#pragma once

#include "reference/random.hpp"

namespace attestone {

/// Draws whose places differ in their first word alone, as those of the channels of a row do. Whoever asks for them in
/// turn has some drawn at a time; whoever does not, each by itself. Belongs to one thread.
class NeighbouringDraws {
 public:
  static constexpr std::size_t at_a_time = 16;
  /// Draw(seed, place).
  const Draw& at(std::uint64_t seed, const Draw::Place& place) { return draws_[lane_of(seed, place)]; }
  /// standard_normal(Draw(seed, place)).
  double normal_at(std::uint64_t seed, const Draw::Place& place);

 private:
  std::size_t lane_of(std::uint64_t seed, const Draw::Place& place);

  std::uint64_t seed_ = 0;
  Draw::Place first_{};
  std::size_t count_ = 0;  ///< draws from the first place on
  bool has_normals_ = false;
  std::array<Draw, at_a_time> draws_{};
  std::array<double, at_a_time> normals_{};
};

}  // namespace attestone
