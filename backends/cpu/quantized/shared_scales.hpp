// SPDX-License-Identifier: Apache-2.0
// Rows of one head as codes: which of their elements share a scale, and the codes themselves.
#pragma once

#include <span>
#include <vector>

#include "backends/cpu/quantized/quantizer.hpp"
#include "reference/shape.hpp"

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
};

/// Each number as its code's, and the scale that it is multiplied by: [rows][channels].
struct CodedRows {
  std::vector<float> numbers, scales;
};

/// rows[...][channels], whose last group may be short.
CodedRows coded(std::span<const float> rows, index channels, const Quantizer&, const Sharing&);

}  // namespace attestone
