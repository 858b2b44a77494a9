// SPDX-License-Identifier: Apache-2.0
// Sums in five orders, exponentials that err, casts.
#include "tests/reference/error_bound/emulated_arithmetic.hpp"

#include <algorithm>
#include <cmath>

#include "reference/tensor/row_reader.hpp"

namespace attestone::emulation {
namespace {

const DType& f32() {
  static const DType format = dtype("f32");
  return format;
}
constexpr double smallest_normal = 0x1p-126;

double fused(double x, double y, double start) {
  return std::fmaf(static_cast<float>(x), static_cast<float>(y), static_cast<float>(start));
}

}  // namespace

double Arithmetic::flushed(double x) const { return recipe_.flush && std::abs(x) < smallest_normal ? 0 : x; }

double Arithmetic::once(double x) const {
  const double narrow =
      recipe_.all_in.empty() ? static_cast<double>(static_cast<float>(x)) : dtype(recipe_.all_in).round(x);
  return flushed(narrow);
}

double Arithmetic::sum_of_products(double start, const std::vector<double>& x, const std::vector<double>& y) const {
  switch (recipe_.summation) {
    case Summation::sequential:
      for (std::size_t i = 0; i < x.size(); ++i) start = once(start + once(x[i] * y[i]));
      return start;
    case Summation::fused:
      for (std::size_t i = 0; i < x.size(); ++i) start = flushed(fused(x[i], y[i], start));
      return start;
    case Summation::eight_lanes: {
      std::vector<double> lanes(8, 0.0);
      for (std::size_t i = 0; i < x.size(); ++i) lanes[i % 8] = once(lanes[i % 8] + once(x[i] * y[i]));
      for (std::size_t width = 4; width > 0; width /= 2)
        for (std::size_t i = 0; i < width; ++i) lanes[i] = once(lanes[i] + lanes[i + width]);
      return once(start + lanes[0]);
    }
    case Summation::pairwise:
      return once(start + pairwise(x, y, 0, x.size()));
    case Summation::truncating:
      for (std::size_t i = 0; i < x.size(); i += 16)
        start = truncated_block(start, x, y, i, std::min(i + 16, x.size()));
      return start;
  }
  return start;
}

double Arithmetic::exp(double x, std::size_t key, double first_channel) const {
  if (x == 0) return 1;
  double sign = 0;
  if (recipe_.exp_error == ExpError::up) sign = 1;
  if (recipe_.exp_error == ExpError::down) sign = -1;
  if (recipe_.exp_error == ExpError::alternating) sign = key % 2 ? 1 : -1;
  if (recipe_.exp_error == ExpError::against_first_channel) sign = first_channel > 0 ? 1 : -1;
  // The rounding of the result uses up u of the error that is allowed.
  const double error = std::max(0.0, numerics_.weight.exp_error - f32().unit_roundoff());
  return once(std::exp(x) * (1 + sign * error));
}

double Arithmetic::cast(double weight) const {
  if (!recipe_.cast_to.empty()) return dtype(recipe_.cast_to).round(weight);
  if (numerics_.weight.cast.roundoff == 0) return weight;
  const double narrow = problem_.input.round(weight);
  return problem_.input.name == "bf16" ? flushed(narrow) : narrow;
}

std::vector<double> Arithmetic::row(const ConstView& view, index batch, index head, index row) const {
  std::vector<double> values(static_cast<std::size_t>(view.extents()[3]));
  RowReader(view).read(batch, head, row, values);
  for (double& x : values) x = flushed(x);
  return values;
}

double Arithmetic::pairwise(const std::vector<double>& x, const std::vector<double>& y, std::size_t from,
                            std::size_t to) const {
  if (to == from) return 0;
  if (to - from == 1) return once(x[from] * y[from]);
  const std::size_t middle = from + (to - from) / 2;
  return once(pairwise(x, y, from, middle) + pairwise(x, y, middle, to));
}

double Arithmetic::truncated_block(double start, const std::vector<double>& x, const std::vector<double>& y,
                                   std::size_t from, std::size_t to) const {
  double largest = std::abs(start);
  for (std::size_t i = from; i < to; ++i) largest = std::max(largest, std::abs(x[i] * y[i]));
  if (largest == 0) return 0;
  const double quantum = std::ldexp(1.0, std::ilogb(largest) - (f32().precision() - 1));
  double sum = std::trunc(start / quantum);
  for (std::size_t i = from; i < to; ++i) sum += std::trunc(x[i] * y[i] / quantum);
  return flushed(f32().round(sum * quantum, Rounding::toward_zero));
}

}  // namespace attestone::emulation
