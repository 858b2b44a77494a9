// SPDX-License-Identifier: Apache-2.0
// Group by group: the exact dot product of each sixteen, its scales, the largest exponent, and what is cut off there.
#include "backends/cpu/quantization/scaled_unit_values.hpp"

#include <algorithm>
#include <cmath>

#include "reference/matrix_units/aligned_sum.hpp"
#include "reference/require.hpp"

namespace attestone::inline backends {
namespace {

constexpr const char* memory = "values of the matrix unit";

index filled_up(const MatrixUnit& unit, index rows) { return (rows + unit.group - 1) / unit.group * unit.group; }

}  // namespace

ScaledUnitValues::ScaledUnitValues(Device& device, const MatrixUnit& unit, index rows, index channels)
    : unit_(unit),
      least_(dtype(unit.scale).min_exponent()),
      channels_(channels),
      numbers_(device, filled_up(unit, rows) * channels, memory),
      weights_(device, filled_up(unit, rows), memory),
      scales_(device, filled_up(unit, rows) / sharing * channels, memory),
      weight_scales_(device, filled_up(unit, rows) / sharing, memory),
      terms_(device, most_terms * channels, memory),
      exponents_(device, filled_up(unit, rows) / sharing * channels, memory),
      largest_(device, channels, memory) {
  require(unit.sum == GroupSum::by_sixteen && unit.scale_block == sharing && unit.keeps == Keeps::f32_cut &&
              unit.group == most_terms * sharing,
          "units that make one term of sixteen products have their values here");
  std::ranges::fill(numbers_.span(), 0.0f);
  for (index at = 0; at < std::ssize(scales_.span()); ++at) scales_[at] = 0, exponents_[at] = exponent_of(0, least_);
}

index ScaledUnitValues::bytes(const MatrixUnit& unit, index rows, index channels) {
  constexpr auto of_float = static_cast<index>(sizeof(float)), of_double = static_cast<index>(sizeof(double)),
                 of_int = static_cast<index>(sizeof(int));
  const index filled = filled_up(unit, rows), blocks = filled / sharing;
  return filled * (channels + 1) * of_float + blocks * channels * (of_double + of_int) + blocks * of_double +
         channels * (most_terms * of_double + of_int);
}

void ScaledUnitValues::set_scale(index row, index channel, float scale) {
  const index at = row / sharing * channels_ + channel;
  scales_[at] = double{scale};
  exponents_[at] = exponent_of(scales_[at], least_);
}

void ScaledUnitValues::add_group(index first, float* sums) {
  for (index c = 0; c < channels_; ++c) largest_[c] = exponent_of(double{sums[c]}, dtype("f32").min_exponent());
  std::ranges::fill(terms_.span(), 0.0);
  for (index t = 0; t < most_terms; ++t) {
    const index block = first / sharing + t;
    double* term = terms_.data() + t * channels_;
    // Multiples of 1/4 below 2^10: exact.
    for (index j = block * sharing; j < (block + 1) * sharing; ++j) {
      const auto weight = double{weights_[j]};
      if (weight == 0) continue;
      const float* row = numbers_.data() + j * channels_;
      for (index c = 0; c < channels_; ++c) term[c] += weight * double{row[c]};
    }
    const int of_weights = exponent_of(weight_scales_[block], least_);
    for (index c = 0; c < channels_; ++c) {
      term[c] *= weight_scales_[block] * scales_[block * channels_ + c];
      largest_[c] = std::max(largest_[c], of_weights + exponents_[block * channels_ + c]);
    }
  }
  for (index c = 0; c < channels_; ++c) {
    if (!std::isfinite(sums[c])) continue;  // it stays what it is: no product of these formats is infinite
    const double up = std::ldexp(1.0, unit_.fraction_bits - largest_[c]);
    // Below 2^(35 + 12), as a dot product is below 576: whole numbers of a double.
    auto sum = static_cast<std::int64_t>(double{sums[c]} * up);
    for (index t = 0; t < most_terms; ++t) sum += static_cast<std::int64_t>(terms_[t * channels_ + c] * up);
    constexpr int bits_of_f32 = 23;
    sums[c] = static_cast<float>(cut_as_f32(static_cast<double>(sum) / up, bits_of_f32));
  }
}

void ScaledUnitValues::add(index first, const float* weights, const float* scales, index count, float* sums) {
  const index filled = filled_up(unit_, count);
  if (std::any_of(scales, scales + (count + sharing - 1) / sharing, [](float scale) { return std::isnan(scale); })) {
    std::fill_n(sums, channels_, NAN);
    return;
  }
  std::fill_n(weights_.data() + first, filled, 0.0f);
  std::copy_n(weights, count, weights_.data() + first);
  for (index block = 0; block < filled / sharing; ++block)
    weight_scales_[first / sharing + block] = block * sharing < count ? double{scales[block]} : 0;
  for (index at = first; at < first + filled; at += unit_.group) add_group(at, sums);
}

}  // namespace attestone::inline backends
