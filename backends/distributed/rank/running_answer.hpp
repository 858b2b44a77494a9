// SPDX-License-Identifier: Apache-2.0
// The running answer of a rank's queries to the keys that have passed.
#pragma once

#include <memory>

#include "backends/distributed/rank/buffers.hpp"
#include "reference/numerics/merge_stage.hpp"

namespace attestone::inline backends {

/// Merges of parts in f32, in the order in which they come. A row without keys has out = 0 and log_sum_exp = -infinity;
/// sinks are where it begins, so they count once.
class RunningAnswer {
 public:
  virtual ~RunningAnswer() = default;

  /// The answers of some keys to the queries of blocks, sequence after sequence: out and log_sum_exp, or out, m and l.
  /// Whose queries they are does not matter.
  virtual Buffers part(std::span<const SequenceBlock>, const LocalQueries&, const LocalKeys&) const = 0;
  /// Room for one of so many rows.
  virtual Buffers room(index rows) const = 0;
  /// Takes in what keys answered to these blocks of the rank's own queries.
  virtual void merge(std::span<const SequenceBlock>, const LocalQueries&, const Buffers&) = 0;
  /// Attends to some keys, and merges what comes of it.
  void take_in(std::span<const SequenceBlock> blocks, const LocalQueries& queries, const LocalKeys& keys) {
    merge(blocks, queries, part(blocks, queries, keys));
  }
  /// The answer to return, out rounded once to its format. Call this only once.
  virtual RankAnswer finish() = 0;
};

/// Before the first key. `part`: the format of what a block answers, where it is divided.
std::unique_ptr<RunningAnswer> running_answer(MergeForm, Rank&, const LocalQueries&, const DType& part);
/// The running answer for scores that refer to fixed maxima, which hold with these norms of all places.
std::unique_ptr<RunningAnswer> running_answer(Rank&, const LocalQueries&, const Buffer& norms);

}  // namespace attestone::inline backends
