// SPDX-License-Identifier: Apache-2.0
// Correct kernels in many styles: one row at a time in f32, each in another admissible order of evaluation
// (docs/rules.md, "Orders of evaluation").
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "backends/kernel.hpp"

namespace attestone::styles {

/// The number that is subtracted from the scores before the exponential.
enum class Maximum {
  last,             ///< of all keys, in a pass of its own
  running,          ///< of the keys so far; a first key of -inf makes NaN
  running_guarded,  ///< the same, and 0 in place of -inf
  lazy,             ///< of the keys so far, but brought up to date only where it grows by more than 8
};

/// Where the sum of weights divides.
enum class Division {
  at_end,           ///< acc / l
  reciprocal,       ///< acc * (1 / l)
  weights,          ///< p / l before they meet V
  reciprocal_first  ///< p * (1 / l) before they meet V
};

/// A pair that weighs nothing: left out where its score is -inf, where its weight is 0, or never.
enum class Skips { infinite_scores, zero_weights, nothing };

/// When the sink joins: as the first maximum, or added to the sum at the end, above the maximum or not.
enum class SinkAt { first, end };

struct Style {
  std::string name;
  Maximum maximum = Maximum::last;
  Division division = Division::at_end;
  Skips skips = Skips::nothing;
  SinkAt sink_at = SinkAt::first;
  bool fused_base_two = false;        ///< exp2(fma(s, c, -fl(m c))) with s = q.k, c = scale log2 e
  bool prescaled = false;             ///< the query is multiplied by the scale (and log2 e) first
  bool renormalises = false;          ///< O is divided after every key (a tile of one), and multiplied again
  bool tanh_by_sigmoid = false;       ///< 2 / (1 + e^(-2x)) - 1
  bool descending = false;            ///< keys from the last to the first
  bool pairwise = false;              ///< sums over keys by halves
  bool multiplies_dropped = false;    ///< a dropped pair is multiplied by 0, not left out
  bool recomputes_from_sums = false;  ///< the backward pass works out m and l again, and does not read log_sum_exp
  bool delta_from_pairs = false;      ///< sum P dP instead of sum dO O
  bool multiplies_hidden = false;     ///< in the backward pass hidden pairs have P = 0 and are multiplied through
  bool skips_silent_rows = false;     ///< the backward pass leaves rows out whose dO is 0
  MergeForm merge = MergeForm::none;  ///< of parts, each of `part_keys` keys: sigmoid or late_correction
  index part_keys = 0;

  friend void PrintTo(const Style& style, std::ostream* out) { *out << style.name; }
};

/// The kernel, which takes any problem in f32, packed or strided.
SharedKernel kernel(const Style&);

/// The styles that are tried.
const std::vector<Style>& all();

}  // namespace attestone::styles
