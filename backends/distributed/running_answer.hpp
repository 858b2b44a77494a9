// SPDX-License-Identifier: Apache-2.0
// What the queries of a rank know of the keys that have passed: their answer so far, in f32.
#pragma once

#include <span>

#include "backends/distributed/local_attention.hpp"

namespace attestone {

/// out and log_sum_exp over the keys so far, as rows are held. Parts are merged by the sigmoid (docs/tolerance.md,
/// "Merges", form B), as ring-flash-attention does. A row without keys has out = 0 and log_sum_exp = -infinity.
class RunningAnswer {
 public:
  RunningAnswer(Device&, index rows, index heads, index value_dim);

  /// The sinks of these heads, [1, heads of the whole, 1, 1]: mass without a value. Before the first part.
  void start_from_sinks(ConstView sinks, Interval heads);
  /// Takes in what the blocks answered, whose rows are these, sequence after sequence.
  void merge(std::span<const SequenceBlock>, const HeldRows&, const Buffer& out, const Buffer& log_sum_exp);

  /// Both as they are returned: out rounded once to its format.
  Buffer log_sum_exp() { return std::move(log_sum_exp_); }
  void store(Buffer& out) const;
  void release_out() { out_.release(); }

 private:
  void merge_row(index head, index row, ConstView out, double log_sum_exp, index from);

  Buffer out_, log_sum_exp_;
};

}  // namespace attestone
