// SPDX-License-Identifier: Apache-2.0
// The sign bit of each code, once, however many elements share it.
#include "conformance/trial/change_signs.hpp"

#include <algorithm>

#include "reference/bits.hpp"
#include "reference/shared_places.hpp"

namespace attestone {

void change_signs(Tensor& tensor) {
  const View view = tensor.view();
  const int bits = view.dtype().storage_bits();
  const std::uint64_t sign = view.dtype().encode(-0.0);
  require(sign != 0, "only formats with a bit for the sign change it there");
  const index batches = distinct(view, 0), heads = distinct(view, 1), channels = distinct(view, 3);
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < std::min(distinct(view, 2), view.rows(b)); ++r)
        for (index c = 0, place = view.place(b, h, r, 0); c < channels; ++c, place += view.strides()[3])
          write_code(view.data(), place, bits, read_code(view.data(), place, bits) ^ sign);
}

}  // namespace attestone
