// SPDX-License-Identifier: Apache-2.0
// Rows of tensors as Eigen matrices of floats, and products over visible pairs alone.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/interval.hpp"
#include "backends/device.hpp"

namespace attestone::inline backends {

using FloatMatrix = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using FlagMatrix = Eigen::Map<Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// These functions report to the device what they read, write and multiply.

/// Decodes rows of one head; to[rows.count(), channels].
void read_rows(Device&, const ConstView&, index batch, index head, Interval rows, FloatMatrix to);

/// Rounds `factor` times these rows to the format of the view, once.
void store_rows(Device&, const View&, index batch, index head, Interval rows, FloatMatrix from, double factor);

/// Sets the infinite and NaN elements to 0; whether there were any.
bool clear_non_finite(FloatMatrix);

/// Y += W X, where W [n, m] is 0 at pairs that are not seen and X is [m, channels]. A weight of 0 hides every finite
/// number, but neither NaN nor infinities: those join the rows that see them, and no other, after the product.
/// `reload` reads X again.
template <class Weights, class Seen, class Result, class Reload>
void add_visible_product(Device& device, const Weights& W, const Seen& seen, FloatMatrix X, Result Y, Reload reload) {
  const bool cleared = clear_non_finite(X);
  Y.noalias() += W * X;
  device.compute({.multiply_adds = W.rows() * W.cols() * X.cols()});
  if (!cleared) return;
  reload();
  for (index j = 0; j < X.rows(); ++j)
    for (index c = 0; c < X.cols(); ++c) {
      if (std::isfinite(X(j, c))) continue;
      for (index i = 0; i < W.rows(); ++i)
        if (seen(i, j)) Y(i, c) += W(i, j) * X(j, c);
    }
}

}  // namespace attestone::inline backends
