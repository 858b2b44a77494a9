// SPDX-License-Identifier: Apache-2.0
// The attention that a rank computes by itself: any kernel, on blocks of the queries and keys that it holds.
#pragma once

#include <span>

#include "backends/distributed/messages/buffer.hpp"
#include "backends/distributed/rank/visible_block.hpp"
#include "backends/distributed/sharding/head_shards.hpp"

namespace attestone::inline backends {

/// Rows of Q, and what goes with them.
struct LocalQueries {
  const HeldRows& rows;
  HeldHeads heads;
  const Buffer& query;
};
/// Rows of K and V.
struct LocalKeys {
  const HeldRows& rows;
  const Buffer &key, &value;
};

/// Where answers that are not divided go: as PartialArguments has them, rows as in LocalAttention::forward.
struct LocalPartials {
  Buffer &out, &m, &l;
  bool m_is_given = false;
};

/// The answers of its queries that the backward pass reads. Only kernels that do not take delta read `out`.
struct LocalAnswers {
  const Buffer &out, &log_sum_exp, &dout, &delta;
};

/// The gradients to which blocks add: dquery of their queries, sequence after sequence; dkey and dvalue in the rows
/// that are held; dbias, if there is one, added to the sum that is there, of the extents of the bias tensor.
struct LocalGradients {
  Buffer &dquery, &dkey, &dvalue;
  std::optional<View> dbias;
};

/// A kernel as the local attention of a rank. Every call is a problem of its own, numbered from 0; a placement says
/// what the whole's numbers are, where the whole's formulas ask for them.
class LocalAttention {
 public:
  /// `inputs`: bias, sink and mask of the whole; nobody looks at its rows.
  LocalAttention(const Kernel& kernel, const Problem& whole, const KernelInputs& inputs, Device& workspace)
      : kernel_(kernel), whole_(whole), inputs_(inputs), workspace_(workspace) {}

  const Problem& whole() const { return whole_; }
  const KernelInputs& inputs() const { return inputs_; }
  bool takes_delta() const { return kernel_.takes_parts(); }

  /// The blocks of some queries and keys.
  std::vector<SequenceBlock> blocks(const LocalQueries&, const HeldRows& keys) const;
  /// The blocks, with queries that see nothing; `all_keys`: all keys of these sequences are here.
  std::vector<SequenceBlock> blocks_of_all(const LocalQueries&, const HeldRows& keys, bool all_keys) const;
  /// Whole sequences, uncut: all their queries and all their keys are here.
  std::vector<SequenceBlock> whole_blocks(const LocalQueries&, const HeldRows& keys) const;

  /// Answers of the blocks' queries, sequence after sequence: out [rows][heads][value_dim] and log_sum_exp
  /// [rows][heads][1]. The sinks count if all keys of the sequences are here.
  void forward(std::span<const SequenceBlock>, const LocalQueries&, const LocalKeys&, Buffer& out,
               Buffer& log_sum_exp) const;
  void forward_partials(std::span<const SequenceBlock>, const LocalQueries&, const LocalKeys&,
                        const LocalPartials&) const;
  void backward(std::span<const SequenceBlock>, const LocalQueries&, const LocalKeys&, const LocalAnswers&,
                const LocalGradients&) const;
  /// Runs the backward pass and adds dquery to the sums in f32 of all queries that are held.
  void add_backward(std::span<const SequenceBlock>, const LocalQueries&, const LocalKeys&, const LocalAnswers&,
                    const LocalGradients&) const;

 private:
  template <class Answer>
  void call_forward(std::span<const SequenceBlock>, const LocalQueries&, const LocalKeys&, const DType& output,
                    const Answer&) const;
  std::vector<std::span<const SequenceBlock>> calls(std::span<const SequenceBlock>, const HeldRows& queries,
                                                    const HeldRows& keys) const;

  const Kernel& kernel_;
  const Problem& whole_;
  KernelInputs inputs_;
  Device& workspace_;
};

}  // namespace attestone::inline backends
