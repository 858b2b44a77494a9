// SPDX-License-Identifier: Apache-2.0
// Weights times V as a matrix unit multiplies them: all channels at once, bit for bit what MatrixUnit::dot says.
#pragma once

#include "backends/device.hpp"
#include "reference/matrix_units/matrix_unit.hpp"

namespace attestone::inline backends {

/// V of one head, each number beside the exponent at which it stands in the unit. The unit aligns all terms of a group
/// (GroupSum::fused) and takes no scales.
class UnitValues {
 public:
  /// Room for so many keys, filled up to whole groups.
  UnitValues(Device&, const MatrixUnit&, index keys, index channels);
  /// keys' * (channels * 12 + 9) + channels * 24, of keys' = keys filled up.
  static index bytes(const MatrixUnit&, index keys, index channels);

  /// Takes rows of [keys][channels] numbers of the unit's operands; behind them are zeros.
  void take(const float* rows, index keys);
  /// Adds to sums[c] weights[j] V[first + j][c], as the unit does that begins with the sums. `first` is the first key
  /// of a group; weights are numbers of the unit's operands, sums those of its accumulator, and keys behind the last
  /// one take no part.
  void add(index first, const float* weights, index count, float* sums);

 private:
  index filled_up(index keys) const;
  void add_group(index first, const double* weights);
  void add_one_by_one(index first, index count);

  const MatrixUnit& unit_;
  int least_, least_of_sums_;  ///< exponents of normal operands and sums
  index channels_;
  Allocation<double> numbers_, weights_, sums_, up_;
  Allocation<int> exponents_, largest_, units_;
  Allocation<bool> finite_;  ///< of each key, whether all its numbers are
};

}  // namespace attestone::inline backends
