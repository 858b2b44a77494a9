// SPDX-License-Identifier: Apache-2.0
// One call of a rank's kernel: blocks of sequences that look alike, as a problem of its own.
#pragma once

#include <optional>
#include <span>

#include "backends/distributed/rank/local_attention.hpp"

namespace attestone::inline backends {

/// The problem of such a call, its inputs, and what had to be copied for them.
class LocalCall {
 public:
  LocalCall(const Kernel&, const Problem& whole, const KernelInputs& of_whole, std::span<const SequenceBlock> alike,
            const LocalQueries&, const LocalKeys&, const DType& output, Device& workspace);
  LocalCall(const LocalCall&) = delete;
  LocalCall& operator=(const LocalCall&) = delete;

  const Problem& problem() const { return problem_; }
  const KernelInputs& inputs() const { return inputs_; }

  /// Room for the gradient of the call's biases, [batch, heads, queries, keys], if there are any; and adding it to the
  /// sum of the whole, whose axes of extent 1 stand for all.
  std::optional<View> dbias();
  void add_dbias(const View& sum) const;

 private:
  View packed(const Buffer& pairs) const;
  void place(const Problem& whole, std::span<const SequenceBlock>, const LocalQueries&, const LocalKeys&);
  void copy_bias(ConstView of_whole);

  Problem problem_;
  Placement placement_;
  std::optional<VisiblePairs> mask_;
  std::optional<Buffer> bias_, dbias_;  ///< [batch queries][heads][keys]
  KernelInputs inputs_;
  Device& workspace_;
};

/// The problem alone. Its mask is full or causal, or comes as bytes; or it is the whole's, of a whole sequence.
Problem local_problem(const Problem& whole, std::span<const SequenceBlock> alike, HeldHeads, const DType& output);

}  // namespace attestone::inline backends
