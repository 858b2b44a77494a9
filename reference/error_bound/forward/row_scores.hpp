// SPDX-License-Identifier: Apache-2.0
// The scores of one row, and how far those of a kernel may stray (docs/tolerance.md, "Scores").
#pragma once

#include <vector>

#include "reference/error_bound/decoded_inputs.hpp"
#include "reference/numerics/numerics.hpp"

namespace attestone {

/// The lists have one entry per visible key, in ascending order of the keys, and one more for the sink if there is one:
/// a key without product and value.
struct RowScores {
  std::vector<index> keys;         ///< without the sink
  std::vector<double> score;       ///< [s] after softcap and bias
  std::vector<double> magnitude;   ///< [A] scale * sum_c |q_c k_jc|, of what a kernel makes of k
  std::vector<double> error;       ///< [Delta] no kernel's score is further off
  std::vector<double> chain;       ///< the part of `error` that the additions of q.k make: gamma_{D+1} A
  std::vector<double> stored;      ///< the part of `error` that storing the score makes: u_S |s|
  std::vector<double> tanh;        ///< [t] with a softcap c, of keys only: the capped score before the bias is c t
  std::vector<double> tanh_error;  ///< how far a kernel's t may stray
  std::vector<double> bias;        ///< |bias|; of the sink, what it is itself
  double norm_bound = 0;           ///< scale ||q|| max ||k|| of keys in any sequence, if a kernel may subtract it
  bool in_range = true;            ///< no intermediate can exceed the largest number of its format

  std::size_t size() const { return score.size(); }
  bool has_sink() const { return size() > keys.size(); }
};

RowScores row_scores(const DecodedInputs&, const Numerics&, index batch, index head, index query);

/// The place of each score in ascending order.
std::vector<std::size_t> ranks(std::span<const double> score);

/// D + 1: the roundings in the sum q.k, one for scaling the query. Integers are added without.
double score_chain(const ScoreStage&, index dim);

}  // namespace attestone
