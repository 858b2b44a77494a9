// SPDX-License-Identifier: Apache-2.0
// Four vectors, interleaved, are eight elements as they stand in memory.
#include "reference/certified/numbers/store_elements.hpp"

#include <bit>
#include <cstddef>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/certified/numbers/store_elements.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Elements = hn::CappedTag<double, 8>;
constexpr std::size_t doubles_each = 4, most_lanes = 8;
/// How far ahead elements are fetched that will be written: nobody else does so in time for many rows at once.
constexpr std::size_t elements_ahead = 16;
constexpr int to_write = 1;
// Of the fourth double only the first byte is not 0: decided, and nothing beside the number.
static_assert(sizeof(Certified) == doubles_each * sizeof(double) && std::endian::native == std::endian::little);
static_assert(offsetof(Certified, value) == 0 && offsetof(Certified, bound) == 8 && offsetof(Certified, rounded) == 16);
static_assert(offsetof(Certified, decided) == 24 && NonFinite{} == NonFinite::wrong);

/// The elements from i on, as many as there are lanes; bits of those that are open.
HWY_INLINE std::uint64_t interleave(const QuickDecisions& of, std::size_t i, double* HWY_RESTRICT elements) {
  const Elements d;
  const auto decided = hn::BitCast(d, hn::Set(hn::Repartition<std::uint64_t, Elements>(), 1));
  const auto rounded = hn::Load(d, of.rounded + i);
  hn::StoreInterleaved4(hn::Load(d, of.value + i), hn::Load(d, of.bound + i), rounded, decided, d, elements);
  std::uint8_t open[8] = {};
  hn::StoreMaskBits(d, hn::IsNaN(rounded), open);
  return open[0];
}

std::uint32_t store_lanes_on_target(const QuickDecisions& of, index count,
                                    const std::array<Certified*, lanes_of_elements>& to) {
  const std::size_t lanes = hn::Lanes(Elements());
  alignas(64) double elements[most_lanes * doubles_each];
  std::uint64_t open = 0;
  for (std::size_t first = 0; first < lanes_of_elements; first += lanes)
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      open |= interleave(of, i * lanes_of_elements + first, elements) << first;
      for (std::size_t lane = 0; lane < lanes; ++lane)
        if (Certified* row = to[first + lane]) {
          std::memcpy(static_cast<void*>(row + i), elements + lane * doubles_each, sizeof(Certified));
          __builtin_prefetch(row + i + elements_ahead, to_write);
        }
    }
  return static_cast<std::uint32_t>(open);
}

bool store_row_on_target(const QuickDecisions& of, index count, Certified* to) {
  const std::size_t lanes = hn::Lanes(Elements()), end = static_cast<std::size_t>(count);
  alignas(64) double elements[most_lanes * doubles_each];
  std::uint64_t open = 0;
  std::size_t i = 0;
  for (; i + lanes <= end; i += lanes) open |= interleave(of, i, reinterpret_cast<double*>(to + i));
  if (i < end) {
    open |= interleave(of, i, elements) & ((1U << (end - i)) - 1);
    std::memcpy(static_cast<void*>(to + i), elements, (end - i) * sizeof(Certified));
  }
  return open != 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(store_lanes_on_target);
HWY_EXPORT(store_row_on_target);

std::uint32_t store_lanes(const QuickDecisions& of, index count, const std::array<Certified*, lanes_of_elements>& to) {
  return HWY_DYNAMIC_DISPATCH(store_lanes_on_target)(of, count, to);
}
bool store_row(const QuickDecisions& of, index count, Certified* to) {
  return HWY_DYNAMIC_DISPATCH(store_row_on_target)(of, count, to);
}

}  // namespace attestone
#endif
