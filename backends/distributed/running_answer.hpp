// SPDX-License-Identifier: Apache-2.0
// What the queries of a rank know of the keys that have passed.
#pragma once

#include <memory>

#include "backends/distributed/rank.hpp"
#include "reference/numerics/merge_stage.hpp"

namespace attestone {

/// Merges of parts in f32, in the order in which they come. A row without keys has out = 0 and log_sum_exp = -infinity;
/// sinks are where it begins, so they count once.
class RunningAnswer {
 public:
  virtual ~RunningAnswer() = default;

  /// Attends to some keys, and merges what comes of it.
  virtual void take_in(std::span<const SequenceBlock>, const LocalQueries&, const LocalKeys&) = 0;
  /// As it is returned, out rounded once to its format. Only once.
  virtual RankAnswer finish() = 0;
};

/// Before the first key. `part`: the format of what a block answers, where it is divided.
std::unique_ptr<RunningAnswer> running_answer(MergeForm, Rank&, const LocalQueries&, const DType& part);

}  // namespace attestone
