// SPDX-License-Identifier: Apache-2.0
// Asking a tensor how its rows lie.
#include "backends/cpu/decode/key_rows.hpp"

#include "reference/require.hpp"

namespace attestone::inline backends {
namespace {

StoredFormat stored_format(const DType& format) {
  if (format.name == "f32") return StoredFormat::f32;
  if (format.name == "f16") return StoredFormat::f16;
  require(format.name == "bf16", "keys are in a format that no CPU kernel reads");
  return StoredFormat::bf16;
}

}  // namespace

std::optional<KeyRows> key_rows_in_place(const ConstView& view, index batch, index head, Interval rows, index width) {
  const bool side_by_side = view.strides()[3] == 1 && view.extents()[3] == width && !view.row_map().pages();
  if (!side_by_side || rows.count() == 0) return std::nullopt;
  return KeyRows{stored_format(view.dtype()), view.at(batch, head, rows.first, 0),
                 view.strides()[2] * view.dtype().bytes(1)};
}

}  // namespace attestone::inline backends
