// SPDX-License-Identifier: Apache-2.0
// What every ring computes of the keys of one place, forward and backward, and rows of parts of tensors.
#pragma once

#include <vector>

#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/running_answer.hpp"

namespace attestone {

/// K and V of a place, or their gradients.
struct KeyPair {
  KeyPair(Rank& rank, std::string_view name, const DType& format, index rows, HeldHeads heads)
      : key(rank.device, name, format, rows, heads.kv.count(), rank.attention.whole().shape.dim),
        value(rank.device, name, format, rows, heads.kv.count(), rank.attention.whole().shape.value_dim) {}
  KeyPair(Buffer k, Buffer v) : key(std::move(k)), value(std::move(v)) {}

  std::vector<ConstView> read() const { return {key.all(), value.all()}; }
  std::vector<View> written() const { return {key.all(), value.all()}; }
  void clear() { key.clear(), value.clear(); }
  void release() { key.release(), value.release(); }
  void add(const KeyPair&);

  Buffer key, value;
};

/// The answer of the rank's queries to some keys, in f32.
struct Part {
  Part(Rank& rank, const LocalQueries& queries, const HeldRows& keys, const KeyPair& held);

  std::vector<SequenceBlock> blocks;
  Buffer out, log_sum_exp;
};
/// visit(row of the part, row that is held) for all rows of the blocks.
template <class Visit>
void for_each_row(const std::vector<SequenceBlock>& blocks, const HeldRows& rows, Visit visit) {
  index from = 0;
  for (const SequenceBlock& block : blocks)
    for (index query = block.queries.first; query <= block.queries.last; ++query)
      visit(from++, rows.begin(block.sequence) + query);
}

/// Attends to the keys of a place, and merges the result into the answer.
void take_in(Rank&, RunningAnswer&, const LocalQueries&, const HeldRows& keys, const KeyPair& held);

/// Returns dK and dV of the keys of a place, f32, in fresh buffers, and adds dQ to its sum.
KeyPair share_of_gradients(Rank&, const LocalQueries&, const HeldRows& keys, const KeyPair& held, const LocalAnswers&,
                           Buffer& dquery);
/// Rounds the sums to the output format and releases them, dQ first.
RankGradients stored(Rank&, Buffer dquery, Buffer dkey, Buffer dvalue);

/// A backward pass in which queries stay: the queries, all that belongs to them, and the sum of dQ.
class StayingQueries {
 public:
  StayingQueries(Rank&, const LocalQueries&, RankSaved&);

  KeyPair share(const HeldRows& keys, const KeyPair& held) {
    const LocalAnswers answers{saved_.out, saved_.log_sum_exp, saved_.dout, delta_};
    return share_of_gradients(rank_, queries_, keys, held, answers, dquery_);
  }
  /// Releases everything but the sum of dQ, and returns that.
  Buffer end();

 private:
  Rank& rank_;
  const LocalQueries& queries_;
  RankSaved& saved_;
  Buffer delta_, dquery_;
};

/// Some heads of all rows of a buffer that holds `HeldRows`: one view per sequence.
std::vector<View> rows_of(const Buffer&, Interval heads, const HeldRows&);
/// The rows of one of several holders, one view per sequence: within each sequence their rows follow each other.
/// held(i) are the rows of the i-th.
template <class Held>
std::vector<View> rows_among(const Buffer& all, Interval heads, const HeldRows& whole, index one, Held held) {
  std::vector<View> views;
  for (index sequence = 0; sequence < whole.sequences(); ++sequence) {
    index first = whole.begin(sequence);
    for (index before = 0; before < one; ++before) first += held(before).count(sequence);
    views.push_back(all.part(heads.first, heads.count(), first, held(one).count(sequence)));
  }
  return views;
}
inline Interval all_heads(const Buffer& buffer) { return {0, buffer.heads() - 1}; }
inline std::vector<ConstView> read_only(const std::vector<View>& views) { return {views.begin(), views.end()}; }

}  // namespace attestone
