// SPDX-License-Identifier: Apache-2.0
// Loops that compilers must unroll; included once per Highway target.
#if defined(ATTESTONE_UNROLLED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTESTONE_UNROLLED_INL
#undef ATTESTONE_UNROLLED_INL
#else
#define ATTESTONE_UNROLLED_INL
#endif

#include <hwy/highway.h>
#include <utility>

// Attribute of a lambda inside a micro-kernel: compiled for the target, and never called.
#ifndef ATTESTONE_IN_KERNEL
#define ATTESTONE_IN_KERNEL HWY_ATTR __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {

/// visit.operator()<0>() ... visit.operator()<count - 1>(). Indices that are constants let compilers keep arrays of
/// vectors in registers.
template <int count, class Visit>
HWY_INLINE void unrolled(Visit visit) {
  [&]<int... i>(std::integer_sequence<int, i...>) ATTESTONE_IN_KERNEL { (visit.template operator()<i>(), ...); }
  (std::make_integer_sequence<int, count>());
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#endif
