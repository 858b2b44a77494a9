// SPDX-License-Identifier: Apache-2.0
// The effect of merging the parts of a row on its weights and sums (docs/tolerance.md, "Merges").
#pragma once

#include <vector>

#include "reference/error_bound/forward/row_scores.hpp"

namespace attestone {

/// Nothing of it differs from its default unless two parts or more are declared.
struct RowMerges {
  double parts = 1;                   ///< that may see an entry of this row, a sink by itself included
  double rounds = 0;                  ///< how often what a part adds up to is merged
  std::vector<double> exponent = {};  ///< by entry: error of its weight, as an exponent
  std::vector<double> late = {};      ///< by entry: what of that the last factor of a late correction makes
  std::vector<double> log_step = {};  ///< by entry: error of one merge of lse with its part, if parts are divided
  double stored = 0;                  ///< [u_part] of what the parts add up to
  double numerator = 0;               ///< relative error of a product p v, storage apart
  double denominator = 0;             ///< relative error of the denominator
  double difference = 0;              ///< of out - out_c, and of its product with a sigmoid, relative to the difference
  double subtraction = 0;             ///< of out - sigmoid (out - out_c), relative to the largest |v|
};

/// `reach`: what a running maximum cannot exceed; `distance`: how far what is subtracted may be from it.
RowMerges row_merges(const RowScores&, const Numerics&, double reach, double distance);

}  // namespace attestone
