// SPDX-License-Identifier: Apache-2.0
// Attention with codes as data: which codes, which tensor cores, and how the product with V is added up.
#pragma once

#include "reference/matrix_units/matrix_unit.hpp"
#include "reference/numerics/operand_codes.hpp"

namespace attestone::inline backends {

/// How the products P V of tiles become O.
enum class TileSums {
  apart,     ///< each tile begins at 0, and is then added to O in f32
  onto_out,  ///< each tile begins with O, which is a number of the tensor core's accumulator
};

/// A kernel that computes with codes, in tiles of keys, with an online softmax in powers of 2.
struct CodedAlgorithm {
  OperandCodes query_codes, key_codes;
  OperandCodes value_codes;                ///< none: V is rounded to f16; where V loses a mean, O is given it back
  const MatrixUnit* score_unit = nullptr;  ///< that multiplies codes of Q and K; null: integers, exactly
  const MatrixUnit* unit = nullptr;        ///< that multiplies P and V
  TileSums sums = TileSums::apart;
  /// Adds up the denominator, from weights as they are cast; null: that is a sum in f32 of weights that are not.
  const MatrixUnit* denominator = nullptr;
  bool scaled_before_codes = false;  ///< Q is multiplied by scale * log2 e before; else each score is
  bool divides = false;              ///< by the denominator; else multiplies by its reciprocal
  float lowered = 0;                 ///< what is subtracted from the maximum: weights reach 2^lowered
  index query_block = 128, key_tile = 64;
  index scaled_tiles = 0;  ///< in so many last tiles scores are multiplied by the scales of their codes alone first
  bool packs_sequences = false;  ///< takes sequences of any lengths, as in a packed batch

  bool accumulates_in_f16() const { return unit->keeps == Keeps::f16_nearest; }
  bool multiplies_f16() const { return unit->operand == "f16"; }
  /// True if V has a scale for each tile of keys, by which its sums are multiplied.
  bool scales_tiles() const { return value_codes.happen() && value_codes.sharing == ScaleSharing::rows; }
  /// True if O gets back the mean that V lost.
  bool gives_value_mean_back() const { return value_codes.centring != Centring::none; }
  /// True if scores get back the product of a key with the mean that the query lost.
  bool gives_query_mean_back() const { return query_codes.centring != Centring::none; }
};

}  // namespace attestone::inline backends
