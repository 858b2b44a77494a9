// SPDX-License-Identifier: Apache-2.0
// Rows of one head as codes: which of their elements share a scale, and the codes themselves.
#pragma once

#include <span>

#include "backends/cpu/quantization/quantizer.hpp"
#include "backends/device.hpp"
#include "reference/numerics/operand_codes.hpp"

namespace attestone::inline backends {

/// Which elements of the rows of a head share a scale.
struct Sharing {
  ScaleSharing by = ScaleSharing::head;
  index count = 1;  ///< of rows or channels

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

  /// Codes [rows][channels] numbers: no more rows than there is room for. `fixed_largest` makes all scales, if there is
  /// one: a static scale, and what is beyond it saturates.
  void take(std::span<const float> rows, const Quantizer&, float fixed_largest = 0);
  /// The numbers of the codes, [rows][channels].
  const float* numbers() const { return numbers_.data(); }
  /// The factor of an element's number.
  float scale(index row, index channel) const { return scales_[sharing_.group(row, channel, channels_)]; }

 private:
  index channels_;
  Sharing sharing_;
  Allocation<float> numbers_, scales_;
};

}  // namespace attestone::inline backends
