// SPDX-License-Identifier: Apache-2.0
// The truth: for every element of the answer a value and a proven bound on its distance from the real-number answer.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "reference/call/tensors.hpp"
#include "reference/certified/numbers/certified.hpp"

namespace attestone {

/// The numbers of a row stand beside the channels of its O as further ones, with places of their own.
inline constexpr index log_sum_exp_channel = -1, max_logits_channel = -2;
/// How many they are.
inline constexpr index numbers_of_row = 2;

/// Whose element a channel is: out, log_sum_exp or max_logits.
inline TensorName tensor_of(index channel) {
  if (channel == max_logits_channel) return TensorName::max_logits;
  return channel == log_sum_exp_channel ? TensorName::log_sum_exp : TensorName::out;
}

/// A certified forward answer for some or all query rows of a problem.
class Truth {
 public:
  Truth(const Problem&, std::vector<index> queries);

  /// The query rows that were certified, ascending, the same in every head; all of them unless a sample was asked for.
  const std::vector<index>& queries() const { return queries_; }
  /// `row` counts queries(), not the problem's rows.
  Certified& out(index batch, index head, index row, index channel) {
    return out_[at(batch, head, row) * value_dim_ + channel_at(channel)];
  }
  const Certified& out(index batch, index head, index row, index channel) const {
    return out_[at(batch, head, row) * value_dim_ + channel_at(channel)];
  }
  Certified& log_sum_exp(index batch, index head, index row) { return log_sum_exp_[at(batch, head, row)]; }
  const Certified& log_sum_exp(index batch, index head, index row) const { return log_sum_exp_[at(batch, head, row)]; }
  /// There if the problem asks for it.
  Certified& max_logits(index batch, index head, index row) { return max_logits_.at(at(batch, head, row)); }
  const Certified& max_logits(index batch, index head, index row) const { return max_logits_.at(at(batch, head, row)); }
  /// Whichever of these the channel means.
  Certified& element(index batch, index head, index row, index channel);
  const Certified& element(index batch, index head, index row, index channel) const;
  /// True if max_logits is there.
  bool has_max_logits() const { return !max_logits_.empty(); }

  /// Where visible NaN or infinities leave IEEE evaluation orders a choice (docs/rules.md, rule 5), the answers that
  /// are all accepted; null where there is just one.
  const std::vector<double>* admissible(index batch, index head, index row, index channel) const;
  void admit(index batch, index head, index row, index channel, std::vector<double> answers);

  Decisions decisions;

 private:
  std::size_t at(index batch, index head, index row) const;
  static std::size_t channel_at(index channel) { return static_cast<std::size_t>(channel); }

  Shape shape_;
  std::vector<index> queries_;
  std::size_t value_dim_;
  CertifiedElements out_, log_sum_exp_, max_logits_;
  std::map<std::pair<std::size_t, index>, std::vector<double>> admissible_;
};

/// Which elements are certified, and how far.
struct CertifyOptions {
  /// Query rows to certify, ascending; nothing: all of them.
  std::optional<std::vector<index>> queries;
  /// True: elements whose bound does not decide the rounding are recomputed. False: they stay undecided.
  bool escalate = true;
};

/// Certifies O and log_sum_exp of the problem on these inputs, and max_logits if it is asked for. `rounded` is in the
/// problem's output format, and in that of log_sum_exp. The result does not depend on the number of threads.
Truth certify_forward(const Problem&, const Inputs&, const CertifyOptions& = {});

/// The rows by which long problems are judged: 0, N-1, 2^k-1, 2^k, 2^k+1, their mirrors, and `random` seeded ones;
/// ascending, without repetition.
std::vector<index> sampled_rows(index queries, index random, std::uint64_t seed);

}  // namespace attestone
