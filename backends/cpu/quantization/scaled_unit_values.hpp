// SPDX-License-Identifier: Apache-2.0
// Numbers of four bits with scales as a matrix unit multiplies them: all channels at once, bit for bit what
// MatrixUnit::dot says.
#pragma once

#include "backends/device.hpp"
#include "reference/matrix_units/matrix_unit.hpp"

namespace attestone::inline backends {

/// The right-hand side of a product, [rows][channels] numbers of e2m1, of which sixteen neighbours in a channel share a
/// scale. The unit makes one term of those (GroupSum::by_sixteen) and cuts its sums off to f32.
class ScaledUnitValues {
 public:
  static constexpr index sharing = 16;

  /// Room for so many rows, filled up to whole groups of the unit.
  ScaledUnitValues(Device&, const MatrixUnit&, index rows, index channels);
  /// rows' * (channels + 1) * 4 + rows' / 16 * (channels * 12 + 8) + channels * 36, of rows' = rows
  /// filled up.
  static index bytes(const MatrixUnit&, index rows, index channels);

  /// The number and the scale of an element; what is not set is 0.
  void set(index row, index channel, float number) { numbers_[row * channels_ + channel] = number; }
  void set_scale(index row, index channel, float scale);
  /// Adds to sums[c] the products of `count` weights with the rows from `first` on, as the unit does that begins with
  /// the sums. `first` is the first row of a group; `scales` are those of sixteen weights each; NaN
  /// among them makes NaN of all sums.
  void add(index first, const float* weights, const float* scales, index count, float* sums);

 private:
  static constexpr index most_terms = 4;

  void add_group(index first, float* sums);

  const MatrixUnit& unit_;
  int least_;  ///< exponent of a normal scale
  index channels_;
  Allocation<float> numbers_, weights_;
  Allocation<double> scales_, weight_scales_, terms_;
  Allocation<int> exponents_, largest_;
};

}  // namespace attestone::inline backends
