// SPDX-License-Identifier: Apache-2.0
// Eight virtual lanes on every machine, so that the facts have the same bits everywhere.
#include "reference/certified/forward/row_facts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "reference/require.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/certified/forward/row_facts.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace attestone {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// More than the relative error of a sum of fewer than 2^20 squares and its root (docs/certified.md, "Norms").
constexpr double norm_margin = 1 + 0x1p-30;
/// Squares of magnitudes between 1 / this and this neither overflow nor underflow harmfully.
constexpr double unscaled_limit = 0x1p400;

constexpr std::size_t fact_lanes = 8;
using Facts = hn::CappedTag<double, fact_lanes>;

/// The facts that one pass over a vector gathers; one number per virtual lane.
struct RawFacts {
  alignas(64) double peak[fact_lanes];     ///< largest magnitudes
  alignas(64) double lowest[fact_lanes];   ///< smallest lowest bits, as powers of two; infinity without any
  alignas(64) double squares[fact_lanes];  ///< sums of (x down)^2
  alignas(64) double taint[fact_lanes];    ///< 0, or NaN if an element is not finite
};

/// The lowest set bit of a > 0, itself a double; infinity for 0.
HWY_INLINE hn::Vec<Facts> lowest_bit(Facts d, hn::Vec<Facts> a) {
  const hn::Repartition<std::uint64_t, Facts> du;
  constexpr std::uint64_t trailing = (std::uint64_t{1} << 52) - 1;
  const auto bits = hn::BitCast(du, a);
  const auto cleared = hn::BitCast(d, hn::And(bits, hn::Sub(bits, hn::Set(du, 1))));
  const auto power_of_two = hn::Eq(hn::And(bits, hn::Set(du, trailing)), hn::Zero(du));  // or 0
  const auto lowest = hn::IfThenElse(hn::RebindMask(d, power_of_two), a, hn::Sub(a, cleared));
  return hn::IfThenElse(hn::Eq(a, hn::Zero(d)), hn::Set(d, hwy::HighestValue<double>()), lowest);
}

void raw_facts(const double* x, std::size_t count, double down, RawFacts& facts) {
  const Facts d;
  HWY_ALIGN double last[fact_lanes] = {};
  const std::size_t whole = count / fact_lanes * fact_lanes;
  std::copy(x + whole, x + count, last);
  for (std::size_t lane = 0; lane < fact_lanes; lane += hn::Lanes(d)) {
    const auto scale = hn::Set(d, down), zero = hn::Zero(d);
    auto peak = zero, squares = zero, taint = zero, lowest = hn::Set(d, hwy::HighestValue<double>());
    const auto take = [&](const double* from) HWY_ATTR {
      const auto a = hn::Abs(hn::LoadU(d, from)), scaled = hn::Mul(a, scale);
      peak = hn::Max(peak, a);
      lowest = hn::Min(lowest, lowest_bit(d, a));
      squares = hn::Add(squares, hn::Mul(scaled, scaled));
      taint = hn::Add(taint, hn::Mul(a, zero));
    };
    for (std::size_t i = lane; i < whole; i += fact_lanes) take(x + i);
    if (whole < count) take(last + lane);
    hn::Store(peak, d, facts.peak + lane);
    hn::Store(lowest, d, facts.lowest + lane);
    hn::Store(squares, d, facts.squares + lane);
    hn::Store(taint, d, facts.taint + lane);
  }
}

/// Raises peaks[c] to |row[c]| where that is finite; fills peak and taint.
void fold_magnitudes(const double* row, std::size_t count, double* peaks, RawFacts& facts) {
  const Facts d;
  for (std::size_t lane = 0; lane < fact_lanes; lane += hn::Lanes(d)) {
    const auto zero = hn::Zero(d);
    auto peak = zero, taint = zero;
    for (std::size_t i = lane; i < count; i += fact_lanes) {
      const auto any = hn::Abs(hn::Load(d, row + i));
      const auto a = hn::IfThenElseZero(hn::Le(any, hn::Set(d, hwy::HighestValue<double>())), any);
      hn::Store(hn::Max(a, hn::Load(d, peaks + i)), d, peaks + i);
      peak = hn::Max(peak, a);
      taint = hn::Add(taint, hn::Mul(any, zero));
    }
    hn::Store(peak, d, facts.peak + lane);
    hn::Store(taint, d, facts.taint + lane);
  }
}

// Plain loops: the algorithms of the library would not be inlined into code for another target.
double largest(const double* lanes) {
  double most = lanes[0];
  for (std::size_t lane = 1; lane < fact_lanes; ++lane) most = lanes[lane] > most ? lanes[lane] : most;
  return most;
}
double smallest(const double* lanes) {
  double least = lanes[0];
  for (std::size_t lane = 1; lane < fact_lanes; ++lane) least = lanes[lane] < least ? lanes[lane] : least;
  return least;
}
double sum(const double* s) { return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])); }
bool tainted(const RawFacts& facts) { return sum(facts.taint) != 0; }

/// Facts, or nothing if an element is not finite.
std::optional<VectorFacts> facts_on_target(std::span<const double> vector) {
  RawFacts raw;
  raw_facts(vector.data(), vector.size(), 1, raw);
  if (tainted(raw)) return std::nullopt;
  const double peak = largest(raw.peak);
  VectorFacts facts;
  if (peak == 0) return facts;
  facts.lowest_bit = std::ilogb(smallest(raw.lowest));
  double down = 1;
  if (!(peak <= unscaled_limit && peak >= 1 / unscaled_limit)) {  // once more, scaled to at most 1
    int exponent = 0;
    std::frexp(peak, &exponent);
    down = std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
    raw_facts(vector.data(), vector.size(), down, raw);
  }
  // The margin vanishes among subnormal numbers.
  facts.norm = std::sqrt(sum(raw.squares)) / down * norm_margin + std::numeric_limits<double>::denorm_min();
  return facts;
}

ValueFacts value_facts_on_target(std::span<double> row, double* peaks) {
  RawFacts raw;
  fold_magnitudes(row.data(), row.size(), peaks, raw);
  const bool special = tainted(raw);
  if (special) zero_specials(row);
  return {largest(raw.peak), special};
}

}  // namespace HWY_NAMESPACE
}  // namespace attestone
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attestone {

HWY_EXPORT(facts_on_target);
HWY_EXPORT(value_facts_on_target);

VectorFacts vector_facts(std::span<const double> vector) {
  const auto facts = HWY_DYNAMIC_DISPATCH(facts_on_target)(vector);
  require(facts.has_value(), "facts are asked of finite vectors");
  return *facts;
}

VectorFacts cleaned_facts(std::span<double> row, bool& special) {
  const auto facts = HWY_DYNAMIC_DISPATCH(facts_on_target)(row);
  special = !facts;
  if (facts) return *facts;
  zero_specials(row);
  return vector_facts(row);
}

void zero_specials(std::span<double> row) {
  for (double& x : row)
    if (!std::isfinite(x)) x = 0;
}

ValueFacts cleaned_value_facts(std::span<double> row, double* peaks) {
  return HWY_DYNAMIC_DISPATCH(value_facts_on_target)(row, peaks);
}

}  // namespace attestone
#endif
