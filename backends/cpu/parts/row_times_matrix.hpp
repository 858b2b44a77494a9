// SPDX-License-Identifier: Apache-2.0
// The one inner loop of the flash kernel: a row times a matrix, used for Q K^T and for P V.
#pragma once

#include "reference/shape.hpp"

namespace attestone {

/// Widths of matrices are padded to a multiple of this; so many sums stay in registers.
constexpr index block_width = 32;

constexpr index padded_width(index width) { return (width + block_width - 1) / block_width * block_width; }

/// y += a B, with a[count], B[count][width] and y[width], width a multiple of block_width. Each element of y is one
/// chain of additions in the order of a, whatever the compiler makes of the loops.
inline void add_row_times_matrix(const float* a, index count, const float* B, float* y, index width) {
  for (index from = 0; from < width; from += block_width) {
    float sum[block_width];
    for (index j = 0; j < block_width; ++j) sum[j] = y[from + j];
    for (index t = 0; t < count; ++t) {
      const float* row = B + t * width + from;
      for (index j = 0; j < block_width; ++j) sum[j] += a[t] * row[j];
    }
    for (index j = 0; j < block_width; ++j) y[from + j] = sum[j];
  }
}

}  // namespace attestone
