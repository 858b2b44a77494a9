// SPDX-License-Identifier: Apache-2.0
// One query row that is to be recomputed with more precision: what goes in, and the answers that come out.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "reference/call/bias.hpp"
#include "reference/certified/forward/decoded_head.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/certified/numbers/bound.hpp"

namespace attestone {

/// A row and its inputs; Q, K and V are finite.
struct RowTask {
  const Problem* problem;
  const DecodedHead* head;
  const Bias* biases;
  index batch, query_head, query;
  std::span<const double> query_values;          ///< [dim]
  std::span<const std::uint64_t> visible;        ///< words of visibility
  std::span<const std::uint64_t> kept;           ///< of those, the pairs that dropout keeps
  std::optional<double> sink;                    ///< a logit without a value; -infinity counts as none
  std::map<index, double> infinite_scores = {};  ///< keys whose raw score is infinite, though a softcap bends it back

  double bias(index key) const { return biases->of({batch, query_head, query, key}); }
  /// The visible keys, ascending.
  std::vector<index> keys() const;
  /// Bounds of the magnitudes, for keys as returned by keys(); `biased` is that of scores of `smallest_score` or more.
  RowMagnitudes magnitudes(std::span<const index> keys, double smallest_score) const;
  /// Every score of these keys and the sink, and all that they are made of, is at most 2^this in magnitude; at least 0.
  /// Unlike a magnitude it cannot overflow.
  int score_exponent(std::span<const index> keys) const;
};

/// The elements of one row whose rounding double arithmetic left open.
struct OpenElements {
  std::vector<index> channels;
  bool log_sum_exp = false;

  bool empty() const { return channels.empty() && !log_sum_exp; }
};

/// Where recomputed elements of one row go: views into a Truth.
struct RowAnswer {
  Truth* truth;
  index batch, head, row;  ///< row counts truth->queries()

  Certified& out(index channel) const { return truth->out(batch, head, row, channel); }
  Certified& log_sum_exp() const { return truth->log_sum_exp(batch, head, row); }
  /// Truth::admit, by any thread. channel -1 is log_sum_exp.
  void admit(index channel, const std::vector<double>& answers) const;
};

}  // namespace attestone
