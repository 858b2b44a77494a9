// SPDX-License-Identifier: Apache-2.0
// Group by group: the largest exponent of each channel, every term cut off there, the sum, and what is kept of it.
#include "backends/cpu/quantization/unit_values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/matrix_units/aligned_sum.hpp"
#include "reference/require.hpp"

namespace attestone::inline backends {
namespace {

constexpr const char* memory = "values of the matrix unit";

/// 2^exponent of a normal number.
double power_of_two(int exponent) {
  constexpr std::uint64_t bias = 1023;
  return std::bit_cast<double>((bias + static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent))) << 52);
}

/// exponent_of() of a normal double, in a form that loops vectorise over. Zeros are no terms: they stand below all
/// others, and so do their products with the largest numbers.
int stands_at(double x, int least) {
  constexpr int bias = 1023, of_zero = -400;
  const int exponent = static_cast<int>((std::bit_cast<std::uint64_t>(x) >> 52) & 0x7FF) - bias;
  return x == 0 ? of_zero : std::max(exponent, least);
}

/// To f16, ties to even; no -0.
double kept_as_f16(double x) {
  constexpr int least = -14, fraction_bits = 10, bits_of_double = 52;
  constexpr double largest = 65504;
  // Adding this leaves no room for anything below the last bit.
  const double room = 1.5 * power_of_two(stands_at(x, least) - fraction_bits + bits_of_double);
  const double rounded = x == 0 ? 0 : (x + room) - room;
  return (std::fabs(rounded) > largest ? std::copysign(std::numeric_limits<double>::infinity(), x) : rounded) + 0.0;
}

bool are_finite(const double* numbers, index count) {
  return std::all_of(numbers, numbers + count, [](double x) { return std::isfinite(x); });
}

double kept(double sum, Keeps keeps) {
  if (keeps == Keeps::f16_nearest) return kept_as_f16(sum);
  return cut_as_f32(sum, keeps == Keeps::f32_13_cut ? 13 : 23);
}

}  // namespace

index UnitValues::filled_up(index keys) const { return (keys + unit_.group - 1) / unit_.group * unit_.group; }

UnitValues::UnitValues(Device& device, const MatrixUnit& unit, index keys, index channels)
    : unit_(unit),
      least_(dtype(unit.operand).min_exponent()),
      least_of_sums_(unit.accumulator().min_exponent()),
      channels_(channels),
      numbers_(device, filled_up(keys) * channels, memory),
      weights_(device, filled_up(keys), memory),
      sums_(device, channels, memory),
      up_(device, channels, memory),
      exponents_(device, filled_up(keys) * channels, memory),
      largest_(device, channels, memory),
      units_(device, channels, memory),
      finite_(device, filled_up(keys), memory) {
  require(unit.sum == GroupSum::fused && unit.scale.empty() && unit.keeps != Keeps::f32_nearest,
          "units that align all terms have their values here");
  // A product is less than 2^(F + 2) units; their sum must not leave an int.
  require(unit.group <= (1 << (29 - unit.fraction_bits)), "a group fits into an int");
}

index UnitValues::bytes(const MatrixUnit& unit, index keys, index channels) {
  constexpr auto of_double = static_cast<index>(sizeof(double)), of_int = static_cast<index>(sizeof(int));
  const index filled = (keys + unit.group - 1) / unit.group * unit.group;
  constexpr auto of_flag = static_cast<index>(sizeof(bool));
  return filled * (channels * (of_double + of_int) + of_double + of_flag) + channels * 2 * (of_double + of_int);
}

void UnitValues::take(const float* rows, index keys) {
  const index given = keys * channels_, all = filled_up(keys) * channels_;
  for (index at = 0; at < all; ++at) {
    numbers_[at] = at < given ? double{rows[at]} : 0;
    exponents_[at] = stands_at(numbers_[at], least_);
  }
  for (index j = 0; j < filled_up(keys); ++j) finite_[j] = are_finite(numbers_.data() + j * channels_, channels_);
}

void UnitValues::add_group(index first, const double* weights) {
  const double* v = numbers_.data() + first * channels_;
  const int* stands = exponents_.data() + first * channels_;
  double *sum = sums_.data(), *up = up_.data();
  int *largest = largest_.data(), *units = units_.data();
  const int bits = unit_.fraction_bits;
  for (index c = 0; c < channels_; ++c) largest[c] = stands_at(sum[c], least_of_sums_);
  for (index j = 0; j < unit_.group; ++j) {
    const int of_weight = stands_at(weights[j], least_);
    for (index c = 0; c < channels_; ++c) largest[c] = std::max(largest[c], of_weight + stands[j * channels_ + c]);
  }
  for (index c = 0; c < channels_; ++c) {
    up[c] = power_of_two(bits - largest[c]);
    sum[c] = static_cast<int>(sum[c] * up[c]);  // cut off toward zero, like all products
    units[c] = 0;
  }
  for (index j = 0; j < unit_.group; ++j)
    for (index c = 0; c < channels_; ++c) units[c] += static_cast<int>(weights[j] * v[j * channels_ + c] * up[c]);
  for (index c = 0; c < channels_; ++c)
    sum[c] = kept((sum[c] + units[c]) * power_of_two(largest[c] - bits), unit_.keeps);
}

/// Adds keys one by one, since numbers that are not finite have rules of their own.
void UnitValues::add_one_by_one(index first, index count) {
  std::vector<double> column(static_cast<std::size_t>(filled_up(count)));
  const std::span<const double> weights = weights_.span().first(column.size());
  for (index c = 0; c < channels_; ++c) {
    for (index j = 0; j < count; ++j) column[static_cast<std::size_t>(j)] = numbers_[(first + j) * channels_ + c];
    sums_[c] = unit_.dot(weights, column, sums_[c]);
  }
}

void UnitValues::add(index first, const float* weights, index count, float* sums) {
  const index filled = filled_up(count);
  for (index j = 0; j < filled; ++j) weights_[j] = j < count ? double{weights[j]} : 0;
  const auto take_sums = [&] { std::copy_n(sums, channels_, sums_.data()); };
  take_sums();
  const bool* of_keys = finite_.data() + first;
  bool finite = are_finite(weights_.data(), filled) && are_finite(sums_.data(), channels_) &&
                std::all_of(of_keys, of_keys + filled, [](bool of_key) { return of_key; });
  for (index at = 0; finite && at < filled; at += unit_.group) {
    add_group(first + at, weights_.data() + at);
    finite = are_finite(sums_.data(), channels_);
  }
  if (!finite) {
    take_sums();
    add_one_by_one(first, count);
  }
  for (index c = 0; c < channels_; ++c) sums[c] = static_cast<float>(sums_[c]);
}

}  // namespace attestone::inline backends
