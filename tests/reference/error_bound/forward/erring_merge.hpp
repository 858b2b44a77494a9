// SPDX-License-Identifier: Apache-2.0
// Split kernels in doubles, each operation of which errs on purpose, by as much as it is told.
//
// Written from docs/tolerance.md, "Merges": nothing here is shared with reference/error_bound/.
#pragma once

#include <map>
#include <vector>

#include "reference/numerics/merge_stage.hpp"
#include "tests/reference/error_bound/forward/one_row.hpp"

namespace attestone::emulation {

/// An operation, or the few in a row that round the same number.
enum class Step {
  stored_maximum,
  stored_denominator,
  stored_out,          ///< or o
  stored_log_sum_exp,  ///< of a part
  part_maximum,        ///< in natural units, against the one inside the exponentials: five roundings
  part_sum,            ///< of m and ln l; ln 2 and its product: three
  part_division,       ///< a reciprocal and a product
  rescaling_exponential,
  rescaling_product,  ///< of o
  addition,           ///< of o
  denominator_product,
  denominator_addition,
  late_argument,  ///< lse_s - lse, and its product with log2 e: two
  late_exponential,
  step_argument,  ///< min - max, and its product with log2 e: two
  step_exponential,
  step_one_plus,
  step_logarithm,  ///< the function itself
  step_constants,  ///< ln 2 and its product: two
  step_sum,        ///< of the larger lse and the logarithm
  step_end,        ///< ln 2 and its product, where lse is kept in base 2 until then: two
  sigmoid_exponential,
  sigmoid_one_plus,
  sigmoid_quotient,  ///< two
  difference,
  difference_product,
  subtraction,
};

/// Keys fall into runs of `keys_per_part`.
struct ErringMerge {
  MergeForm form;
  std::size_t keys_per_part = 1;
  bool pairwise = false;  ///< a tree; else one part after another
  /// Relative errors by part, or by how many merges came before; the last one stands for all that follow.
  std::map<Step, std::vector<double>> errors = {};

  Answered answer(const std::vector<double>& scores, const std::vector<double>& values) const;
};

}  // namespace attestone::emulation
