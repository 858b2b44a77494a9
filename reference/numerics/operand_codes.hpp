// SPDX-License-Identifier: Apache-2.0
// Codes that replace Q, K or V before a kernel computes with them, as it declares exactly: codes that share scales.
#pragma once

#include "reference/shape.hpp"

namespace attestone {

/// How a scale is made of the largest number of a group, and codes of its numbers (docs/quantized.md; SageAttention 1
/// to 3, OCP MX). A rule is exact: it fixes every code to the last bit.
enum class CodeRule {
  none,  ///< the operand is read as it is given
  f16,   ///< each number is rounded to f16, and there is no scale
  int8_block,
  int8_thread,
  int4_thread,
  int8_cuda,
  int8_block_128,  ///< int8_block with scales over 128: the largest number saturates
  int8_cuda_128,   ///< the same of int8_cuda
  e4m3,
  e4m3_small,
  nvfp4,
  mxfp4,
  mxfp8,
};

/// Which elements of the rows of a head share a scale.
enum class ScaleSharing {
  head,             ///< all
  rows,             ///< so many neighbouring rows
  query_thread,     ///< of each so many rows, a warp's, those that one thread holds of Q: {8 i + t} for t of 0 to 7
  key_thread,       ///< the same of K: {8 i + 2 t, 8 i + 2 t + 1} for t of 0 to 3
  channel,          ///< each channel of all rows
  channels,         ///< so many neighbouring channels of each row
  rows_of_channel,  ///< so many neighbouring rows of each channel
};

/// How the mean over rows is subtracted first, if at all, and how both are rounded.
enum class Centring {
  none,
  rounded,       ///< to the format of the operand
  in_f32,        ///< the mean to the format of the operand, the difference to f32
  whole_in_f32,  ///< to f32
};

/// The codes of one operand.
struct OperandCodes {
  CodeRule rule = CodeRule::none;
  ScaleSharing sharing = ScaleSharing::head;
  index count = 1;  ///< of rows or channels
  Centring centring = Centring::none;
  index mean_rows = 0;         ///< the mean is that of so many neighbouring rows; 0: of all of a sequence
  index mean_padding = 1;      ///< rows of zeros behind the last one, up to a multiple of so many, count, too
  bool mean_of_batch = false;  ///< the mean is that of all rows of all sequences of a head, as in a packed batch
  double mean_error = 0;       ///< how far it may be off before it is rounded, as a share of the mean of all sizes
  double quotient_error = 0;   ///< how far a quotient may be off before it is rounded to a code, as a share of itself
  double fixed_largest = 0;    ///< makes the scale, whatever a group holds: a static scale; 0: the largest of the group
  /// The rows of a sequence become codes in so many neighbouring parts, each as if it was a sequence, as on so many
  /// devices: of sizes that differ by one at most, the first ones larger. Its own mean is given back to each.
  index parts = 1;
  bool rotated = false;  ///< rows are rotated first (rotate_row in reference/quantization/rows_as_read.hpp)

  bool happen() const { return rule != CodeRule::none; }
};

/// True if a rotation begins with the negative of this channel: a sign for each, drawn once and for all.
bool is_negated(index channel);

/// How far what a code stands for may be from its number, as a share of the largest number that has the same scale.
double coarseness(const OperandCodes&);
/// How far it is at most where no number of the operand is larger than this, what it loses with the mean left aside.
double code_error(const OperandCodes&, double largest);

}  // namespace attestone
