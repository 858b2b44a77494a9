// SPDX-License-Identifier: Apache-2.0
// The rows of one head as a kernel reads them that computes with codes: what its codes stand for.
#pragma once

#include <span>
#include <vector>

#include "reference/dtypes/dtype.hpp"
#include "reference/numerics/operand_codes.hpp"

namespace attestone {

/// Rows of numbers, one behind the other.
struct RowsAsRead {
  std::vector<double> numbers;   ///< [rows, channels]: exact, of at most 32 bits of significand
  std::vector<double> before;    ///< [rows, channels] what became codes: less the mean, rotated, multiplied
  index mean_rows = 1;           ///< that have a mean in common
  std::vector<double> mean;      ///< [ceil(rows / mean_rows), channels] what was subtracted; zeros if nothing was
  std::vector<double> mean_gap;  ///< of the same: how far a kernel's may be from it
  /// [rows, channels] how far a kernel's numbers may be from these; empty: they are the same.
  std::vector<double> slack;
};

/// The values of these rows' codes, less their mean if the codes say so. A number that is not finite makes NaN
/// of all that share its scale or, with a mean, its channel; where the scale is fixed, NaN of itself alone.
///
///   rows     [rows, channels] numbers of `format`, those of one sequence and head; rows of zeros that the mean counts
///            have their part in scales, too
///   factor   each is multiplied by it first, as a number of f32; 1: is not
///   batch    [rows of all sequences, channels] where the codes have the mean of those
RowsAsRead rows_as_read(std::span<const double> rows, index channels, const OperandCodes&, const DType& format,
                        double factor, std::span<const double> batch = {});

/// A row times random signs and the Walsh-Hadamard matrix, over the root of its length, where that is a power of two;
/// others stay as they are. Each sum, difference and product in f32 (FlashAttention-3, arXiv 2407.08608, section 3.3;
/// QuIP, arXiv 2307.13304).
void rotate_row(std::span<double> row);

}  // namespace attestone
