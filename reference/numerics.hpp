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
  /// [eta_acc] absolute error of one operation of the accumulator that leaves its normal range, and of reading an
  /// operand below it. The smallest normal number of f32: flushing to zero is allowed.
  double accumulator_underflow = 0x1p-126;

  double operand_roundoff = 0;    ///< [u_in] operands are rounded again before a product, as in tf32
  double prescale_roundoff = 0;   ///< [u_pre] the query is scaled and rounded before the product
  double prescale_underflow = 0;  ///< [eta_pre] absolute error of that rounding below the normal range
  double score_roundoff = 0;      ///< [u_S] scores are stored in a narrower format
  double score_underflow = 0;     ///< [eta_S] absolute error of that rounding below the normal range
  double score_largest = 0;       ///< the largest finite number of the format that holds a score

  double exp_error = 0;   ///< [eps_exp] relative error of the exponential
  double log_error = 0;   ///< [eps_log] relative error of the logarithm
  double tanh_error = 0;  ///< [eps_tanh] relative error of the hyperbolic tangent

  double weight_roundoff = 0;         ///< [u_P] weights p are cast before the product with V
  double weight_underflow = 0;        ///< [eta_P] absolute error of that cast, or of p itself, below the normal range
  double weight_smallest_normal = 0;  ///< where the normal range of the weights begins
  bool denominator_sums_cast_weights = false;  ///< the denominator adds up the cast weights, not the exact ones
  bool weights_are_normalised = false;         ///< weights are divided by the denominator before the cast

  index tile_queries = 0;  ///< queries per tile, for the place of an error; 0: unknown
  /// [B] keys per tile, visited in ascending or descending order; the running maximum is brought up to date once a
  /// tile. 0: one tile holds all keys; 1: any tile size.
  index tile_keys = 0;
  bool fresh_accumulator_per_tile = false;  ///< two-level sums: chains of B + T additions instead of n

  // Of the backward pass.
  double score_gradient_roundoff = 0;   ///< [u_dS] dS is cast before the products with K and Q
  double score_gradient_underflow = 0;  ///< [eta_dS] absolute error of that cast below the normal range
  double score_gradient_largest = 0;    ///< the largest finite number of the format of dS
  bool delta_from_rounded_out = true;   ///< delta = sum dO O reads O as it was stored; else as it was accumulated

  double output_roundoff = 0;   ///< [u_out] of O and of every gradient
  double output_underflow = 0;  ///< [eta_out]
  double output_largest = 0;
  double log_sum_exp_roundoff = 0;  ///< [u_L]
};

/// The default class of a dtype (docs/tolerance.md, "Default classes"): what a kernel is held to that declares nothing.
/// f32 is full f32; f16 and bf16 are the arithmetic of FlashAttention. Output and log_sum_exp rounding follow `output`.
Numerics default_numerics(const DType& input, const DType& output);

}  // namespace attestone
