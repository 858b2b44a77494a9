// SPDX-License-Identifier: Apache-2.0
// Reading and storing matrices, and the order of Eigen's sums.
#include "backends/cpu/parts/float_matrix.hpp"

namespace attestone::inline backends {
namespace {

/// Eigen orders its sums by the caches it finds and the threads it may use. Ours are the same on every machine.
bool fix_order_of_sums() {
  constexpr index KiB = 1024;
  Eigen::setCpuCacheSizes(32 * KiB, 256 * KiB, 2048 * KiB);
  Eigen::setNbThreads(1);
  return true;
}

const bool fixed = fix_order_of_sums();

}  // namespace

void read_rows(Device& device, const ConstView& view, index batch, index head, Interval rows, FloatMatrix to) {
  const FloatRows reader(view);
  for (index row = rows.first; row <= rows.last; ++row)
    reader.read(batch, head, row, to.data() + (row - rows.first) * to.cols());
  device.compute({.bytes = rows.count() * row_bytes(view)});
}

void store_rows(Device& device, const View& view, index batch, index head, Interval rows, FloatMatrix from,
                double factor) {
  if (!view.exists()) return;
  for (index row = rows.first; row <= rows.last; ++row)
    for (index c = 0; c < from.cols(); ++c) view.set(batch, head, row, c, factor * double{from(row - rows.first, c)});
  device.compute({.bytes = rows.count() * row_bytes(view)});
}

bool clear_non_finite(FloatMatrix matrix) {
  bool any = false;
  for (float& element : matrix.reshaped<Eigen::RowMajor>())
    if (!std::isfinite(element)) {
      element = 0;
      any = true;
    }
  return any;
}

}  // namespace attestone::inline backends
