// SPDX-License-Identifier: Apache-2.0
// From the answers of parts of a row's keys to the answer of all: split kernels and rings.
#pragma once

#include <algorithm>

#include "reference/numerics/stage.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// How two partial results become one (docs/tolerance.md, "Merges"). m is the largest score of a part, l its sum of
/// e^(s - m), o that of e^(s - m) v; out = o / l and lse = m + ln l.
enum class MergeForm {
  none,             ///< one part holds all keys
  shared_maximum,   ///< [D] all parts have one m: o and l are added
  rescaled_sums,    ///< [A] o and l are multiplied by e^(m - m'), m' the larger m, and added; o / l at the end
  late_correction,  ///< [C] lse by log1p, one part after another; then out is the sum of out_i e^(lse_i - lse)
  sigmoid,          ///< [B] out -= sigmoid(lse_c - lse) (out - out_c), lse -= logsigmoid(lse - lse_c)
};

/// A kernel that works on all keys of a row at once has none.
struct MergeStage : Stage {
  MergeForm form = MergeForm::none;
  index parts = 1;  ///< of a row, at most; those that see no key change nothing
  index depth = 0;  ///< how often what a part adds up to is merged, at most; 0: parts - 1 times, one after another
  Cast out;         ///< [u_part] o or out of a part as it is stored; what is merged stays in the accumulator
  double log_sum_exp_roundoff = 0;  ///< [u_lse] the same for lse, or for m and l
  double exp_error = 0;             ///< [eps_exp] of the exponentials that merge
  double log_error = 0;             ///< [eps_log] of the logarithms that merge
  /// Which keys a part holds: any that it likes if `any`, else a run of neighbours.
  Visits visits = Visits::either_way;

  bool merges() const { return form != MergeForm::none && parts > 1; }
  /// True if parts are merged by their log_sum_exp: each is divided by its own denominator first.
  bool divides_parts() const { return merges() && form >= MergeForm::late_correction; }
  index rounds() const { return !merges() ? 0 : depth == 0 ? parts - 1 : std::min(depth, parts - 1); }
};

}  // namespace attestone
