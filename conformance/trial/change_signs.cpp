// SPDX-License-Identifier: Apache-2.0
// The sign bit of each code.
#include "conformance/trial/change_signs.hpp"

#include <algorithm>

#include "reference/bits.hpp"

namespace attestone {

void change_signs(Tensor& tensor) {
  const View view = tensor.view();
  const int bits = view.dtype().storage_bits();
  const std::uint64_t sign = view.dtype().encode(-0.0);
  require(sign != 0, "only formats with a bit for the sign change it there");
  // Where elements share a place, the first of them stands for all.
  const auto distinct = [&](int axis, index extent) {
    return view.strides()[axis] == 0 ? std::min<index>(extent, 1) : extent;
  };
  const index batches = distinct(0, view.extents()[0]), heads = distinct(1, view.extents()[1]);
  const index channels = distinct(3, view.extents()[3]);
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < distinct(2, view.rows(b)); ++r)
        for (index c = 0, place = view.place(b, h, r, 0); c < channels; ++c, place += view.strides()[3])
          write_code(view.data(), place, bits, read_code(view.data(), place, bits) ^ sign);
}

}  // namespace attestone
