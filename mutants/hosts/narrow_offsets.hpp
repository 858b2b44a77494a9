// SPDX-License-Identifier: Apache-2.0
// Offsets of elements that are kept in an int, as kernels do that have met small tensors only.
#pragma once

#include "reference/tensor/bits.hpp"
#include "reference/tensor/tensor.hpp"

namespace attestone::inline mutants {

/// The low 31 bits of an offset in elements. A real int would be negative now and then, and end the process.
inline index in_31_bits(index offset) { return offset & 0x7FFFFFFF; }

/// A packed copy of what is found at such offsets.
inline Tensor read_by_narrow_offsets(const ConstView& from) {
  Tensor copy(from.dtype(), from.extents());
  const int bits = from.dtype().storage_bits();
  for_each_element(from, [&](index b, index h, index r, index c) {
    copy.view().set_code(b, h, r, c, read_code(from.data(), in_31_bits(from.place(b, h, r, c)), bits));
  });
  return copy;
}

/// Writes every element to such an offset.
inline void write_by_narrow_offsets(const ConstView& from, const View& to) {
  const int bits = to.dtype().storage_bits();
  for_each_element(to, [&](index b, index h, index r, index c) {
    write_code(to.data(), in_31_bits(to.place(b, h, r, c)), bits, from.code(b, h, r, c));
  });
}

}  // namespace attestone::inline mutants
