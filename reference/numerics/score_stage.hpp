// SPDX-License-Identifier: Apache-2.0
// From q and k to a score: product, scale, softcap, bias, storage.
#pragma once

#include "reference/numerics/operand_codes.hpp"
#include "reference/numerics/stage.hpp"

namespace attestone {

/// docs/tolerance.md, "Scores".
struct ScoreStage : Stage {
  double operand_roundoff = 0;  ///< [u_in] q and k are rounded again before the product, as in tf32
  RowCast keys;                 ///< K travels, or is kept, in a narrower format
  Cast prescale;                ///< [u_pre] the query is scaled and rounded before the product; no range
  Cast stored;                  ///< [u_S] scores are stored in a narrower format; `largest` holds in any case
  double tanh_error = 0;        ///< [eps_tanh] relative error of the hyperbolic tangent
  /// [delta_tanh] and its absolute error, as 2 / (1 + e^(-2x)) - 1 has near 0; of numbers that are not 0.
  double tanh_absolute_error = 0;
  OperandCodes query_codes, key_codes;
  /// Codes are made of the query times the scale times 1.44269504, all in f32.
  bool scaled_before_codes = false;
  /// [u_km] of the product of a query with the mean that was subtracted from K, which log_sum_exp is given back; before
  /// it is scaled.
  Cast mean_product;
  /// [u_qm] of the product of a mean of Q with a key, its sum included, where Q loses its mean and scores are given it
  /// back; no range.
  Cast query_mean_product;
  bool exact_products = false;  ///< q.k is a sum of integers, without a rounding before it is scaled
};

}  // namespace attestone
