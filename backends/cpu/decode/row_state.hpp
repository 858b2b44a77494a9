// SPDX-License-Identifier: Apache-2.0
// The state of a few queries after the keys that they have seen, one query per row.
#pragma once

#include "backends/cpu/decode/lanes.hpp"
#include "backends/cpu/parts/online_softmax.hpp"
#include "backends/device.hpp"

namespace attestone::inline backends {

/// m, l and O of some queries, in base 2: m is the largest score, l the sum of 2^(s - m), O that of 2^(s - m) v.
class RowState {
 public:
  RowState(Device&, index most_rows, index channels);
  /// rows * (8 + 4 * channels).
  static index bytes(index most_rows, index channels);

  /// Nothing seen, but what this row begins with: a sink.
  void start(index row, const OnlineSoftmax&);
  /// Takes in a row of scores [count], whole lanes, which become weights.
  void weigh(index row, float* S, index count);
  /// Takes in what another one has seen (docs/tolerance.md, "Merges", form A): l and O are multiplied by 2^(m - m')
  /// with the larger maximum m', and added.
  void merge(index row, RowState& part);
  /// O becomes O / l; 0 where l is 0.
  void divide(index row);

  const OnlineSoftmax& softmax(index row) { return softmax_[row]; }
  float* out(index row) { return out_.data() + row * channels_; }

 private:
  void shrink(index row, float factor);

  index channels_;  ///< whole lanes
  Allocation<OnlineSoftmax> softmax_;
  Allocation<float> out_;
};

}  // namespace attestone::inline backends
