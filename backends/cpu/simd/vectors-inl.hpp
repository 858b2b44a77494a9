// SPDX-License-Identifier: Apache-2.0
// The vectors of the CPU kernels, and loops that compilers must unroll; included once per Highway target.
#if defined(ATTESTONE_SIMD_VECTORS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTESTONE_SIMD_VECTORS_INL
#undef ATTESTONE_SIMD_VECTORS_INL
#else
#define ATTESTONE_SIMD_VECTORS_INL
#endif

#include <hwy/highway.h>
#include <utility>

#include "backends/cpu/simd/panel.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// At most 16 lanes: a panel is a whole number of pairs of vectors on every machine.
using Floats = hn::CappedTag<float, panel_queries / 2>;
using FloatVector = hn::Vec<Floats>;
constexpr index float_lanes = static_cast<index>(hn::MaxLanes(Floats()));

// Attribute of a lambda inside a micro-kernel: compiled for the target, and never called.
#ifndef ATTESTONE_INLINED
#define ATTESTONE_INLINED HWY_ATTR __attribute__((always_inline))
#endif

/// visit.operator()<0>() ... visit.operator()<count - 1>(). Indices that are constants let compilers keep arrays of
/// vectors in registers.
template <int count, class Visit>
HWY_INLINE void unrolled(Visit visit) {
  [&]<int... i>(std::integer_sequence<int, i...>) ATTESTONE_INLINED { (visit.template operator()<i>(), ...); }
  (std::make_integer_sequence<int, count>());
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#endif
