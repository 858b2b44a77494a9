// SPDX-License-Identifier: Apache-2.0
// From what parts of the keys add up to, to all of them: four ways in which split kernels and rings do it.
#pragma once

#include "backends/cpu/attend/state.hpp"
#include "reference/numerics/merge_stage.hpp"

namespace attestone::inline backends {

/// `all` becomes the state of a tile that has seen its own keys and those of `part` (docs/tolerance.md, "Merges", form
/// A): l and O are multiplied by 2^(m - m') with the larger maximum m', and added.
void merge_rescaled(AttendState& all, AttendState& part);

/// Merges a part where both have one maximum (form D): l and O are added.
void merge_of_one_maximum(AttendState& all, AttendState& part);

/// out = O / l and log_sum_exp of one panel: what is left of a part that is divided by its own sum.
struct PartAnswer {
  float* out;           ///< [value_dim][32]
  double* log_sum_exp;  ///< [32], natural; -infinity where the part saw no key
};

/// all = all - sigmoid(lse_part - lse) (all - part), lse -= logsigmoid(lse - lse_part)  (form B).
void merge_by_sigmoid(const PartAnswer& all, const PartAnswer& part, index value_dim);

/// ln(e^a + e^b); of -infinity and anything the other.
double log_of_both(double a, double b);

/// part = e^(lse_part - lse) part, with the log_sum_exp [32] of all parts: what it adds to the sum of all  (form C).
void correct_late(const PartAnswer& part, const double* log_sum_exp, index value_dim);

}  // namespace attestone::inline backends
