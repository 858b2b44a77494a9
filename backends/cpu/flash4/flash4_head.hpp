// SPDX-License-Identifier: Apache-2.0
// One head by FlashAttention-4: a maximum that is raised late, and powers by two ways.
#pragma once

#include "backends/cpu/quantization/unit_values.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// Mistakes of the source that we copy only on request.
struct Flash4AsPublished {
  bool nan_vanishes = false;        ///< of a power that comes from the polynomial: it is that of -127
  bool nan_rows_are_empty = false;  ///< in log_sum_exp, which is -infinity
};

/// The memory of one head, and the work on it.
class Flash4Head {
 public:
  static constexpr index tile = 128;  ///< queries, and keys
  /// The maximum stays while no score exceeds it by more than so many powers of 2 (rescale_threshold).
  static constexpr float late_by = 8;

  /// Products of that format in f32.
  static const MatrixUnit& unit(const Problem&);

  Flash4Head(Device&, const Problem&, Flash4AsPublished);
  /// UnitValues::bytes of dim rows of keys, and of V, 4 * keys * dim for what they are made of, and 4 * (keys + tile +
  /// 2 * dim) for a row.
  static index bytes(const Problem&);

  /// Reads K and V of one head.
  void take(const Arguments&, index batch, index head);
  /// Attends to the first `keys` keys: O of one query is in out() then, and its log_sum_exp is returned.
  float attend(index query, index keys);
  const float* out() const { return out_.data(); }

 private:
  void find_scores(index query);
  void take_in(index first, index count);
  float power_of_two(float x, index key_of_tile) const;

  const Problem& problem_;
  Flash4AsPublished as_published_;
  index dim_;
  index frequency_;  ///< of each so many weights the last four come from the polynomial
  float scale_log2_e_;
  UnitValues keys_by_channel_, values_;
  Allocation<float> given_;  ///< K, channel by channel, then V
  Allocation<float> scores_, weights_, query_, out_;
  std::optional<ConstView> given_queries_;
  index batch_ = 0, head_ = 0;
  float m_ = 0, l_ = 0;
};

}  // namespace attestone::inline backends
