// SPDX-License-Identifier: Apache-2.0
// A kernel's declared arithmetic: what it rounds, to which format and how. Tolerances follow from this and the inputs.
#pragma once

#include <string>

#include "reference/dtype.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// Symbols in brackets are those of docs/tolerance.md. A roundoff of 0 means that the step does not occur.
struct Numerics {
  std::string class_name;  ///< what verdicts call this arithmetic: "fp32", "bf16-P", ...

  double accumulator_roundoff = 0;     ///< [u_acc] of score and value sums, denominator and their products
  bool accumulator_truncates = false;  ///< sums round toward zero; u_acc is then doubled already
  double accumulator_largest = 0;      ///< the largest finite number of the accumulator

  double operand_roundoff = 0;   ///< [u_in] operands are rounded again before a product, as in tf32
  double prescale_roundoff = 0;  ///< [u_pre] the query is scaled and rounded before the product
  double score_roundoff = 0;     ///< [u_S] scores are stored in a narrower format
  double score_largest = 0;      ///< the largest finite number of the format that holds a score

  double exp_error = 0;   ///< [eps_exp] relative error of the exponential
  double log_error = 0;   ///< [eps_log] relative error of the logarithm
  double tanh_error = 0;  ///< [eps_tanh] relative error of the hyperbolic tangent

  double weight_roundoff = 0;         ///< [u_P] weights p are cast before the product with V
  double weight_underflow = 0;        ///< [eta_P] absolute error of that cast, or of p itself, below the normal range
  double weight_smallest_normal = 0;  ///< where the normal range of the weights begins
  bool denominator_sums_cast_weights = false;  ///< the denominator adds up the cast weights, not the exact ones
  bool weights_are_normalised = false;         ///< weights are divided by the denominator before the cast

  index tile_queries = 0;                   ///< queries per tile, for the place of an error; 0: unknown
  index tile_keys = 0;                      ///< [B] keys per tile; 0: one tile holds them all
  bool fresh_accumulator_per_tile = false;  ///< two-level sums: chains of B + 2T additions instead of n + T

  double output_roundoff = 0;   ///< [u_out]
  double output_underflow = 0;  ///< [eta_out]
  double output_largest = 0;
  double log_sum_exp_roundoff = 0;  ///< [u_L]

  index tiles(index keys) const { return tile_keys == 0 ? (keys > 0 ? 1 : 0) : (keys + tile_keys - 1) / tile_keys; }
  /// [n_o, n_l] the longest chain of additions that ends in one output element.
  index chain_length(index keys) const {
    return fresh_accumulator_per_tile ? tile_keys + 2 * tiles(keys) : keys + tiles(keys);
  }
};

/// The default class of a dtype (docs/tolerance.md, "Default classes"): what a kernel is held to that declares nothing.
/// f32 is full f32; f16 and bf16 are the arithmetic of FlashAttention. Output and log_sum_exp rounding follow `output`.
Numerics default_numerics(const DType& input, const DType& output);

}  // namespace attestone
