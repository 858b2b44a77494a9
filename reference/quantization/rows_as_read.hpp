// SPDX-License-Identifier: Apache-2.0
// The rows of one head as a kernel reads them that computes with codes: what its codes stand for.
#pragma once

#include <span>
#include <vector>

#include "reference/dtype.hpp"
#include "reference/numerics/operand_codes.hpp"

namespace attestone {

/// Rows of numbers, one behind the other.
struct RowsAsRead {
  std::vector<double> numbers;   ///< [rows, channels]: exact, of at most 32 bits of significand
  std::vector<double> mean;      ///< [channels] what was subtracted first; zeros if nothing was
  std::vector<double> mean_gap;  ///< [channels] how far a kernel's may be from that
  /// [rows, channels] how far a kernel's numbers may be from these; empty: they are the same.
  std::vector<double> slack;
};

/// What the codes of these rows stand for, less their mean if the codes say so. A number that is not finite makes NaN
/// of all that share its scale or, with a mean, its channel.
///
///   rows     [rows, channels] numbers of `format`, those of one sequence and head
///   factor   each is multiplied by it first, as a number of f32; 1: is not
RowsAsRead rows_as_read(std::span<const double> rows, index channels, const OperandCodes&, const DType& format,
                        double factor);

}  // namespace attestone
