// SPDX-License-Identifier: Apache-2.0
// The micro-kernel: a few broadcast rows times two vectors of columns, all sums in registers; included once per Highway
// target.
#if defined(ATTESTONE_SIMD_PRODUCT_BLOCK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTESTONE_SIMD_PRODUCT_BLOCK_INL
#undef ATTESTONE_SIMD_PRODUCT_BLOCK_INL
#else
#define ATTESTONE_SIMD_PRODUCT_BLOCK_INL
#endif

#include "backends/cpu/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

/// Rows of a block: 12 times 2 sums, 2 vectors and a broadcast one fit 32 registers; 6 times 2 fit 16.
constexpr int block_rows = HWY_TARGET <= HWY_AVX3 || !HWY_ARCH_X86 ? 12 : 6;

/// finish(row, a, b) for every row < rows: a and b are the sums over steps of left(row, step) times the first and
/// second vector of right[step][stride].
template <int rows, class Left, class Finish>
HWY_INLINE void product_block(Left left, const float* HWY_RESTRICT right, index right_stride, index steps,
                              Finish finish) {
  const Floats d;
  FloatVector a[rows], b[rows];
  unrolled<rows>([&]<int row>() ATTESTONE_INLINED { a[row] = b[row] = hn::Zero(d); });
#pragma GCC unroll 2
  for (index step = 0; step < steps; ++step, right += right_stride) {
    const FloatVector x = hn::LoadU(d, right), y = hn::LoadU(d, right + float_lanes);
    unrolled<rows>([&]<int row>() ATTESTONE_INLINED {
      const FloatVector v = hn::Set(d, left(row, step));
      a[row] = hn::MulAdd(v, x, a[row]);
      b[row] = hn::MulAdd(v, y, b[row]);
    });
  }
  unrolled<rows>([&]<int row>() ATTESTONE_INLINED { finish(row, a[row], b[row]); });
}

/// How many blocks there are of so many rows.
constexpr index blocks_of(index all) { return (all + block_rows - 1) / block_rows; }

/// visit.operator()<rows>(first) for rows 0 ... all - 1 in whole blocks, and in one with what remains.
template <class Visit>
HWY_INLINE void for_each_block(index all, Visit visit) {
  index first = 0;
  for (; first + block_rows <= all; first += block_rows) visit.template operator()<block_rows>(first);
  unrolled<block_rows - 1>([&]<int i>() ATTESTONE_INLINED {
    if (all - first == i + 1) visit.template operator()<i + 1>(first);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#endif
