// SPDX-License-Identifier: Apache-2.0
// Adding up errors of addends, roundings of the sum and of the result.
#include "reference/error_bound/gradient/gradient_sum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/error_bound/rounding.hpp"
#include "reference/error_bound/windows.hpp"
#include "reference/quantization/coded_problem.hpp"

namespace attestone {
namespace {

/// The scale, its product, and that of a constant merged with it.
constexpr double scale_roundings = 3;

}  // namespace

void GradientAddends::reserve(std::size_t n) {
  for (auto* list : {&value, &error, &probable, &cast, &lost, &largest, &quantity}) list->reserve(n);
}

std::vector<std::size_t> GradientAddends::sort() {
  std::vector<std::size_t> order(value.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return quantity[a] < quantity[b]; });
  for (auto* list : {&value, &error, &probable, &cast, &lost, &largest, &quantity}) {
    std::vector<double> sorted;
    sorted.reserve(order.size());
    for (const std::size_t at : order) sorted.push_back((*list)[at]);
    *list = std::move(sorted);
  }
  return order;
}

void GradientSum::add(const GradientSum& other) {
  addends += other.addends;
  value += other.value;
  size += other.size;
  factors += other.factors;
  deterministic += other.deterministic;
  probabilistic += other.probabilistic;
  apart += other.apart;
}

GradientSum gradient_sum(const GradientAddends& addends, std::span<const double> x) {
  GradientSum sum;
  double error = 0, probable = 0, cast = 0, lost = 0;
  for (std::size_t p = 0; p < x.size(); ++p) {
    const double by = std::abs(x[p]);
    sum.value += addends.value[p] * x[p];
    sum.size += (addends.largest[p] + addends.cast[p] + addends.lost[p]) * by;
    if (by > 0) sum.factors += addends.largest[p] + addends.cast[p] + addends.lost[p];
    error += addends.error[p] * by;
    probable += addends.probable[p] * by;
    cast += addends.cast[p] * by;
    lost += addends.lost[p] * by;
  }
  double likely_cast = cast;
  if (cast > 0) {
    std::vector<Rounded> casts(x.size());
    for (std::size_t p = 0; p < x.size(); ++p) casts[p] = {addends.quantity[p], addends.cast[p] * std::abs(x[p])};
    likely_cast = windowed_sum(cast, std::move(casts), 2 * addends.cast_roundoff / windows_per_cell);
  }
  sum.addends = static_cast<index>(x.size());
  sum.deterministic = error + cast + lost;
  sum.probabilistic = probable + likely_cast + lost;
  return sum;
}

/// The relative error of the products and the sum, whatever its order, and of the scale.
double GradientFinish::relative(const GradientSum& sum) const {
  const double n = static_cast<double>(sum.addends);
  return (1 + operands) * (1 + gamma(roundings_of_sum(n, numerics.gradient.accumulator.truncates) + scale_roundings,
                                     numerics.gradient.accumulator.roundoff)) -
         1;
}

/// The underflow of products, sums and the scale, and of operands, read as 0 where they are below the normal range.
double GradientFinish::underflow(const GradientSum& sum) const {
  const double eta = numerics.gradient.accumulator.underflow;
  const double operations = 2 * static_cast<double>(sum.addends) + scale_roundings;
  return eta * std::max(1.0, scale) * operations + (scale * eta + scaled_operand) * sum.factors * (1 + relative(sum));
}

GradientSum GradientFinish::rounded_apart(GradientSum sum) const {
  const double all = relative(sum);
  const double largest =
      scale * (std::abs(sum.value) + sum.deterministic * (1 + all) + all * sum.size) + underflow(sum);
  const bool stays = largest <= numerics.output.cast.largest;
  sum.apart += stays ? numerics.output.cast.roundoff * largest + numerics.output.cast.underflow : infinity;
  return sum;
}

/// Each part is stored, and what it adds up to, along a path from it to the end so many times; parts without addends
/// are 0 and change nothing.
double GradientFinish::storage_of_parts(const GradientSum& sum) const {
  const GradientStage& stage = numerics.gradient;
  if (!in_parts || stage.parts < 2) return 0;
  const auto parts = static_cast<double>(std::min(stage.parts, sum.addends));
  const auto storages = static_cast<double>(std::min(stage.storages(), sum.addends));
  const double growth = std::expm1(storages * std::log1p(stage.part.roundoff));
  const double largest = scale * sum.size * (1 + relative(sum)) + underflow(sum) + sum.apart;
  const double lost = (2 * parts - 1) * stage.part.underflow * (1 + growth);
  return largest * (1 + growth) + lost <= stage.part.largest ? growth * largest + lost : infinity;
}

/// With the roundings of the sum and of the result. What is said of codes, is said of the forward pass.
double GradientFinish::bound(const GradientSum& sum, double error) const {
  const double n = static_cast<double>(sum.addends), all_roundings = relative(sum);
  const double of_sum = scale * (error * (1 + all_roundings) + all_roundings * sum.size) + underflow(sum) + sum.apart +
                        storage_of_parts(sum);
  // The value is itself a sum of n products in double.
  const double noise = gamma(4 * (n + 16), 0x1p-53) * scale * sum.size;
  const double all = of_sum + numerics.output.cast.roundoff * (scale * std::abs(sum.value) + noise + of_sum) +
                     numerics.output.cast.underflow + numerics.gradient.accumulator.underflow + noise;
  const bool stays = !computes_with_codes(numerics) && numerics.weight.block_cast.of_largest == 0 &&
                     sum.size * (1 + all_roundings) * std::max(1.0, scale) <= numerics.gradient.accumulator.largest &&
                     scale * std::abs(sum.value) + all <= numerics.output.cast.largest;
  return stays ? all * (1 + gamma(4 * (n + 16), 0x1p-53)) : infinity;
}

void GradientFinish::store(const GradientSum& sum, ElementBounds& bounds, index b, index h, index r, index c) const {
  if (sum.addends == 0) return;
  const double deterministic = bound(sum, sum.deterministic);
  bounds.deterministic(b, h, r, c) = deterministic;
  bounds.probabilistic(b, h, r, c) = std::min(deterministic, bound(sum, sum.probabilistic));
}

}  // namespace attestone
