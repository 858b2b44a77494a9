// SPDX-License-Identifier: Apache-2.0
// Numbers that leave the normal range, or the range altogether (docs/tolerance.md, "Output", "Range").
#include <algorithm>
#include <cmath>

#include "reference/error_bound/forward/forward_row.hpp"
#include "reference/error_bound/rounding.hpp"

namespace attestone {

/// An error of 1 in a kernel's weights, in units in which the denominator is `denominator`. That of a kernel is at
/// least 1, unless its weights refer to something above their maximum.
double ForwardRow::weight_unit(double denominator) const {
  const double reached = std::exp(weights_.reach - weights_.largest_score) / denominator;
  return std::min(1.0, reached) * std::exp(weights_.above);
}

/// Errors that underflow makes in the weighted sum: in weights and their cast, in products and sums, in values read. A
/// part's factor that underflows is an error of each of its weights, once for every merge.
double ForwardRow::underflow(std::size_t channel) const {
  const WeightStage& weight = numerics_.weight;
  const double unit = once_.weight_unit, cast_unit = weight.normalised ? 1 : unit;
  const double divided = weight.normalised ? 1 : 0;  // a quotient underflows by itself
  const double operations = 2 * static_cast<double>(scores_.size()) + static_cast<double>(weights_.rescalings) + 2;
  const double of_weights = weight.accumulator.underflow * (unit + divided) + weights_.factor_underflow * unit +
                            weight.cast.underflow * cast_unit;
  const double of_sums = numerics_.value.accumulator.underflow * values_.factor() *
                         (operations * cast_unit + 1 + std::min(1.0, total_weight_error()));
  const double values = with_cast_values(sums_.underflow[channel], static_cast<double>(weights_.underflows));
  return (of_weights * values + of_sums + merge_underflow(cast_unit)) * (1 + once_.numerator_chain);
}

/// Rescaling, adding and storing parts; or sigmoids, differences, and what they are multiplied with.
double ForwardRow::merge_underflow(double unit) const {
  constexpr double operations = 4;  // for each part
  const MergeStage& merge = numerics_.merge;
  if (!merge.merges()) return 0;
  const double parts = weights_.merges.parts;
  if (!merge.divides_parts())
    return (merge.accumulator.underflow * operations * values_.factor() + merge.out.underflow) * parts * unit;
  const double largest = with_cast_values(inputs_.largest_value() * values_.factor(), 1);
  return merge.accumulator.underflow * operations * parts * (1 + 2 * largest) + merge.out.underflow;
}

/// Relative to a kernel's denominator, which is at least 1 in its own units, and sum p (1 + theta) in those of the
/// truth.
double ForwardRow::denominator_underflow() const {
  const double cast = shared_cast() > 0 ? numerics_.weight.cast.underflow : 0;
  const double least = weights_.denominator * (1 - weights_.total_error);
  const double unit = least > 1 ? weight_unit(least) : std::exp(weights_.above);
  return static_cast<double>(weights_.underflows) *
         (numerics_.weight.accumulator.underflow + weights_.factor_underflow + cast) * unit;
}

/// out - sigmoid (out - out_c) errs relative to what it subtracts: parts lie in the range of V, whatever they weigh.
double ForwardRow::differences(std::size_t channel) const {
  const RowMerges& merges = weights_.merges;
  if (merges.difference == 0) return 0;
  const double product = (1 + own_cast()) * (1 + once_.product_roundings) * (1 + once_.numerator_chain) - 1;
  const double largest = range_.largest[channel], sums = product + once_.denominator_chain;
  return merges.difference * 2 * (range_.distance[channel] + sums * largest) +
         merges.subtraction * (1 + sums) * largest;
}

/// The largest value that sum |v| may reach: running sums are at most that, as no weight exceeds 1 when it is added, or
/// what its reference point makes of 1; the denominator is at most n. Parts are stored before or after they are
/// divided. Less than 0 where scores or denominator may leave their range.
double ForwardRow::room_for_values() const {
  const double n = static_cast<double>(scores_.size()), cast = 1 + numerics_.weight.cast.roundoff;
  const double weight = std::exp(numerics_.weight.reference_below);
  const double u = std::max(numerics_.weight.accumulator.roundoff, numerics_.value.accumulator.roundoff);
  const double chain = std::max(weights_.weight_sum.chain, weights_.value_sum.chain) + 2;
  const double growth = (1 + gamma(chain, u)) * (1 + numerator_chain()) * (1 + denominator_chain()) * cast * weight;
  const double stored = numerics_.merge.merges() && weights_.merges.stored > 0 ? numerics_.merge.out.largest : infinity;
  const double merged = numerics_.merge.merges() ? numerics_.merge.accumulator.largest : infinity;
  const double largest_denominator = std::min(numerics_.weight.accumulator.largest, merged);
  const double room = std::min({numerics_.value.accumulator.largest, merged, stored}) / growth;
  return !scores_.in_range || !(n * growth <= largest_denominator) ? -1 : room;
}

bool ForwardRow::in_range(std::size_t channel) const {
  const double n = static_cast<double>(scores_.size()), room = once_.room_for_values;
  if (room < 0) return false;
  if (with_cast_values(n * inputs_.largest_value() * values_.factor(), n) <= room) return true;
  double sum = 0;
  for (std::size_t j = 0; j < scores_.size(); ++j) sum += std::abs(values_(j, channel));
  return with_cast_values(sum, n) <= room;
}

}  // namespace attestone
