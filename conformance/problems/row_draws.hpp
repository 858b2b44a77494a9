// SPDX-License-Identifier: Apache-2.0
// The draws of a row, which cost little more together than one alone.
#pragma once

#include "reference/random/random.hpp"

namespace attestone::inline conformance {

/// The draws of one row, whose places differ in their first word alone, by the channel: whoever asks for one has it
/// drawn with those behind it. Belongs to one thread.
class RowDraws {
 public:
  static constexpr std::size_t at_a_time = 16;

  /// From now on those of the row whose channel 0 has this place; no channel from `channels` on is drawn with others.
  void begin_row(const Draw::Place& place, index channels) { row_ = place, channels_ = channels, drawn_ = 0; }

  /// Begins this row, unless it is the current one: then its draws are kept.
  void be_in_row(const Draw::Place& place, index channels) {
    if (place != row_) begin_row(place, channels);
  }
  /// How many channels the row has.
  index channels() const { return channels_; }

  /// Draw(seed, place), of the place of a channel.
  Draw at(std::uint64_t seed, index channel) {
    const std::uint32_t* word = words_.data() + lane_of(seed, channel);
    return Draw({word[0], word[at_a_time], word[2 * at_a_time], word[3 * at_a_time]});
  }
  /// standard_normal(Draw(seed, place)).
  double normal_at(std::uint64_t seed, index channel) {
    const std::size_t lane = lane_of(seed, channel);
    if (!has_normals_) make_normals();
    return normals_[lane];
  }

 private:
  std::size_t lane_of(std::uint64_t seed, index channel) {
    const auto lane = static_cast<std::size_t>(channel - first_);
    if (lane < drawn_ && seed == seed_) return lane;
    draw_from(seed, channel);
    return 0;
  }
  void draw_from(std::uint64_t seed, index channel);
  void make_normals();

  std::uint64_t seed_ = 0;
  Draw::Place row_{};
  index channels_ = 0;
  index first_ = 0;        ///< the first channel of those that are drawn
  std::size_t drawn_ = 0;  ///< how many they are
  bool has_normals_ = false;
  std::array<std::uint32_t, 4 * at_a_time> words_{};  ///< the first of each draw, then the second of each, ...
  std::array<double, at_a_time> normals_{};
};

}  // namespace attestone::inline conformance
