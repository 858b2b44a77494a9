// SPDX-License-Identifier: Apache-2.0
// Finding rows, and copying those that do not lie as products want them.
#include "backends/cpu/parts/bfloat16_rows.hpp"

#include <algorithm>

#include "reference/require.hpp"

namespace attestone::inline backends {

StoredBfloat16Rows::StoredBfloat16Rows(const ConstView& view) : view_(view) {
  require(view.dtype().name == "bf16", "products of bf16 are products of bf16");
}

Bfloat16Rows StoredBfloat16Rows::read(index batch, index head, Interval rows, index width,
                                      std::uint16_t* buffer) const {
  const index channels = view_.extents()[3], step = view_.strides()[3];
  const auto codes = [&](index row) { return reinterpret_cast<const std::uint16_t*>(view_.at(batch, head, row, 0)); };
  const bool as_they_lie = channels == width && step == 1 && !view_.row_map().pages();
  if (as_they_lie && rows.count() > 0) return {codes(rows.first), view_.strides()[2]};
  std::uint16_t* to = buffer;
  for (index row = rows.first; row <= rows.last; ++row, to += width) {
    const std::uint16_t* from = codes(row);
    if (step == 1)
      std::copy_n(from, channels, to);
    else
      for (index c = 0; c < channels; ++c) to[c] = from[c * step];
    std::fill(to + channels, to + width, std::uint16_t{0});
  }
  return {buffer, width};
}

}  // namespace attestone::inline backends
