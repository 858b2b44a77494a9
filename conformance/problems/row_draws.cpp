// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 of up to sixteen neighbouring counters, in vectors.
#include "conformance/problems/row_draws.hpp"

#include <algorithm>

#include "conformance/problems/standard_normal.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conformance/problems/row_draws.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone::inline conformance {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// words[4][16] of the first `count` counters from `first` on, which differ in their first word, and of some behind
/// them. J. Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011), section 4.3. Lanes of 64 bits, of
/// which the upper halves mean nothing.
void philox_on_target(std::uint64_t seed, const Draw::Place& first, std::size_t count, std::uint32_t* words) {
  const hn::CappedTag<std::uint64_t, 8> d;
  const hn::Rebind<std::uint32_t, decltype(d)> of_word;
  using Words = hn::Vec<decltype(d)>;
  constexpr int rounds = 10;
  constexpr std::uint64_t multipliers[] = {0xD2511F53, 0xCD9E8D57}, steps[] = {0x9E3779B9, 0xBB67AE85};
  const auto times = [&](Words a, std::uint64_t b) HWY_ATTR {
#if HWY_TARGET == HWY_SCALAR
    return hn::Mul(hn::And(a, hn::Set(d, 0xFFFFFFFF)), hn::Set(d, b));
#else
    const hn::Repartition<std::uint32_t, decltype(d)> halves;
    return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, hn::Set(d, b)));
#endif
  };
  for (std::size_t at = 0; at < count; at += hn::Lanes(d)) {
    Words a = hn::Add(hn::Set(d, first[0]), hn::Iota(d, static_cast<std::uint64_t>(at)));
    Words b = hn::Set(d, first[1]), c = hn::Set(d, first[2]), e = hn::Set(d, first[3]);
    std::uint64_t keys[] = {seed, seed >> 32};
    for (int round = 0; round < rounds; ++round) {
      const Words of_a = times(a, multipliers[0]), of_c = times(c, multipliers[1]);
      a = hn::Xor(hn::Xor(hn::ShiftRight<32>(of_c), b), hn::Set(d, keys[0]));
      c = hn::Xor(hn::Xor(hn::ShiftRight<32>(of_a), e), hn::Set(d, keys[1]));
      b = of_c, e = of_a;
      for (std::size_t i = 0; i < 2; ++i) keys[i] += steps[i];
    }
    std::size_t word = 0;
    for (const Words& of_lanes : {a, b, c, e})
      hn::StoreU(hn::TruncateTo(of_word, of_lanes), of_word, words + word++ * RowDraws::at_a_time + at);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone::inline conformance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone::inline conformance {

HWY_EXPORT(philox_on_target);

void RowDraws::draw_from(std::uint64_t seed, index channel) {
  const auto left = static_cast<std::size_t>(std::max<index>(channels_ - channel, 1));
  seed_ = seed, first_ = channel, drawn_ = std::min(left, at_a_time), has_normals_ = false;
  Draw::Place place = row_;
  place[0] += static_cast<std::uint32_t>(channel);
  HWY_DYNAMIC_DISPATCH(philox_on_target)(seed, place, drawn_, words_.data());
}

void RowDraws::make_normals() {
  const std::span<const std::uint32_t> words = words_;
  standard_normals(words.first(drawn_), words.subspan(at_a_time, drawn_), std::span(normals_).first(drawn_));
  has_normals_ = true;
}

}  // namespace attestone::inline conformance
#endif
