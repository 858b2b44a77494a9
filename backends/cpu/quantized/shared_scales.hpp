// SPDX-License-Identifier: Apache-2.0
// Rows of one head as codes: which of their elements share a scale, and the codes themselves.
#pragma once

#include <span>

#include "backends/cpu/quantized/quantizer.hpp"
#include "backends/device.hpp"

namespace attestone {

/// Which elements of the rows of a head share a scale.
struct Sharing {
  enum class Of {
    tensor,        ///< all
    block,         ///< `count` neighbouring rows; 1: each row, a token
    query_thread,  ///< of each `count` rows, a warp's, those that are one thread's in Q: {8 i + t} for t of 0 to 7
    key_thread,    ///< the same in K: {8 i + 2 t, 8 i + 2 t + 1} for t of 0 to 3
    channel,       ///< each channel of all rows
    channels       ///< `count` neighbouring channels of each row
  };
  Of of;
  index count = 1;

  /// The group of an element, counted from 0; rows have so many channels.
  index group(index row, index channel, index channels) const;
  /// No group of so many rows has a higher number.
  index most_groups(index rows, index channels) const;
};

/// The codes of rows, whose last group may be short.
class CodedRows {
 public:
  CodedRows(Device&, index rows, index channels, const Sharing&);
  /// 4 * (rows * channels + groups).
  static index bytes(index rows, index channels, const Sharing&);

  /// Codes [rows][channels] numbers: no more rows than there is room for.
  void take(std::span<const float> rows, const Quantizer&);
  /// The numbers of the codes, [rows][channels].
  const float* numbers() const { return numbers_.data(); }
  /// What the number of an element is multiplied by.
  float scale(index row, index channel) const { return scales_[sharing_.group(row, channel, channels_)]; }

 private:
  index channels_;
  Sharing sharing_;
  Allocation<float> numbers_, scales_;
};

}  // namespace attestone
