// SPDX-License-Identifier: Apache-2.0
// Draws of neighbours, which cost little more together than one alone.
#pragma once

#include <algorithm>

#include "reference/random.hpp"

namespace attestone {

/// Draws whose places differ in their first word alone, as those of the channels of a row do: whoever asks for one has
/// it drawn with those behind it. Belongs to one thread.
class NeighbouringDraws {
 public:
  static constexpr std::size_t at_a_time = 16;
  /// Draw(seed, place).
  Draw at(std::uint64_t seed, const Draw::Place& place) {
    const std::uint32_t* word = words_.data() + lane_of(seed, place);
    return Draw({word[0], word[at_a_time], word[2 * at_a_time], word[3 * at_a_time]});
  }
  /// standard_normal(Draw(seed, place)).
  double normal_at(std::uint64_t seed, const Draw::Place& place) {
    const std::size_t lane = lane_of(seed, place);
    if (!has_normals_) make_normals();
    return normals_[lane];
  }

 private:
  std::size_t lane_of(std::uint64_t seed, const Draw::Place& place) {
    const bool is_row = has_draws_ && seed == seed_ && std::equal(place.begin() + 1, place.end(), first_.begin() + 1);
    if (const std::size_t lane = place[0] - first_[0]; is_row && lane < at_a_time) return lane;
    draw_from(seed, place);
    return 0;
  }
  void draw_from(std::uint64_t seed, const Draw::Place&);
  void make_normals();

  std::uint64_t seed_ = 0;
  Draw::Place first_{};
  bool has_draws_ = false, has_normals_ = false;
  std::array<std::uint32_t, 4 * at_a_time> words_{};  ///< the first of each draw, then the second of each, ...
  std::array<double, at_a_time> normals_{};
};

}  // namespace attestone
