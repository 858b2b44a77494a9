// SPDX-License-Identifier: Apache-2.0
// The sign bit of each code, once, however many elements share it; 0 keeps its code where there is no -0.
#include "conformance/trial/change_signs.hpp"

#include <algorithm>

#include "reference/tensor/shared_places.hpp"

namespace attestone::inline conformance {

void change_signs(Tensor& tensor) {
  constexpr index of_byte = 8;
  const View view = tensor.view();
  const index bits = view.dtype().storage_bits();
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  require(view.dtype().encode(-1.0) == (sign | view.dtype().encode(1.0)), "the last bit of a code is its sign");
  const bool has_minus_zero = view.dtype().encode(-0.0) == sign;
  const index batches = distinct(view, 0), heads = distinct(view, 1), channels = distinct(view, 3);
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < std::min(distinct(view, 2), view.rows(b)); ++r)
        for (index c = 0, place = view.place(b, h, r, 0); c < channels; ++c, place += view.strides()[3]) {
          if (!has_minus_zero && (read_code(view.data(), place, static_cast<int>(bits)) & ~sign) == 0) continue;
          const index last_bit = (place + 1) * bits - 1;
          view.data()[last_bit / of_byte] ^= std::byte{1} << last_bit % of_byte;
        }
}

}  // namespace attestone::inline conformance
