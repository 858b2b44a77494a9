// SPDX-License-Identifier: Apache-2.0
// Sixteen lanes become one number, in the same order on every machine; included once per Highway target.
#if defined(ATTESTONE_DECODE_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTESTONE_DECODE_LANES_INL
#undef ATTESTONE_DECODE_LANES_INL
#else
#define ATTESTONE_DECODE_LANES_INL
#endif

#include "backends/cpu/decode/lanes.hpp"
#include "backends/cpu/simd/vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace attestone::inline backends {
namespace HWY_NAMESPACE {

/// Vectors that hold the lanes of a row.
constexpr int row_vectors = static_cast<int>(row_lanes / float_lanes);

/// The sixteen lanes of one sum.
using RowSums = FloatVector[row_vectors];

/// The first half of the vectors plus the second half, until one is left.
template <int count>
HWY_INLINE FloatVector one_vector(const FloatVector* sums) {
  if constexpr (count == 1) {
    return sums[0];
  } else {
    FloatVector half[count / 2];
    unrolled<count / 2>([&]<int i>() ATTESTONE_INLINED { half[i] = hn::Add(sums[i], sums[i + count / 2]); });
    return one_vector<count / 2>(half);
  }
}

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE void store_four_sums(const RowSums (&sums)[4], float* to) {
  for (int i = 0; i < 4; ++i) {
    FloatVector fours[4];
    for (int k = 0; k < 4; ++k) {
      const FloatVector* lanes = sums[i] + 4 * k;
      fours[k] = hn::Add(hn::Add(lanes[0], lanes[2]), hn::Add(lanes[1], lanes[3]));
    }
    to[i] = hn::GetLane(one_vector<4>(fours));
  }
}

#else

/// The lower half of the lanes plus the upper half, until four are left.
template <class D>
HWY_INLINE auto four_lanes(D, hn::Vec<D> sum) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    return sum;
  } else {
    const hn::Half<D> half;
    return four_lanes(half, hn::Add(hn::LowerHalf(half, sum), hn::UpperHalf(half, sum)));
  }
}

/// Four sums at once: four neighbouring lanes are added first, so that the rest is done once for all four.
HWY_INLINE void store_four_sums(const RowSums (&sums)[4], float* to) {
  const Floats d;
  const auto halved = [&](FloatVector a, FloatVector b) ATTESTONE_INLINED {
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  FloatVector fours[row_vectors];
  unrolled<row_vectors>([&]<int i>() ATTESTONE_INLINED {
    fours[i] = halved(halved(sums[0][i], sums[2][i]), halved(sums[1][i], sums[3][i]));
  });
  hn::StoreU(four_lanes(d, one_vector<row_vectors>(fours)), hn::CappedTag<float, 4>(), to);
}

#endif

/// Halves are added until one lane is left.
HWY_INLINE float sum_of_lanes(const RowSums& sums) {
  float lanes[row_lanes];
  unrolled<row_vectors>([&]<int i>() ATTESTONE_INLINED { hn::StoreU(sums[i], Floats(), lanes + i * float_lanes); });
  for (index half = row_lanes / 2; half > 0; half /= 2)
    for (index i = 0; i < half; ++i) lanes[i] += lanes[half + i];
  return lanes[0];
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline backends
HWY_AFTER_NAMESPACE();

#endif
