// SPDX-License-Identifier: Apache-2.0
// From pairs to sums: along rows for dQ, along keys for dK and dV.
#include "reference/error_bound/gradient/gradient_head.hpp"

#include <algorithm>
#include <cmath>

#include "reference/error_bound/rounding.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {
namespace {

// Terms of sums, each some nanoseconds: below, waking threads costs more than they save.
constexpr double worth_threads = 1e5;

/// Appends one pair's gradient of its score. The error of delta, and what the row has in common, only if `in_full`.
void add_score_gradient(const GradientRowBound& row, std::size_t j, const Numerics& numerics, double scale,
                        bool in_full, GradientAddends& all) {
  const ScoreGradients& from = row.capped;
  const double own = row.growth() * from.own[j], through = row.growth() * from.through_delta[j];
  const double shared = row.excess() * std::abs(from.value[j]);
  const bool cast = numerics.gradient.cast.roundoff > 0;
  all.value.push_back(from.value[j]);
  all.error.push_back(in_full ? own + through * row.delta_error + shared : own);
  all.probable.push_back(in_full ? own + through * row.delta_error_probable + shared : own);
  all.cast.push_back(numerics.gradient.cast.roundoff * from.largest[j]);
  // The scale may come before the cast, or after it.
  all.lost.push_back(cast ? numerics.gradient.cast.underflow * std::max(1.0, 1 / scale) : 0);
  all.largest.push_back(from.largest[j]);
  all.quantity.push_back(std::log(std::abs(from.value[j])));
}

/// sum_p addend_p x_pc for every channel c; `x_of` gives the row x_p.
template <class RowOf>
std::vector<GradientSum> sums_by_channel(GradientAddends addends, std::size_t channels, const RowOf& x_of) {
  const std::vector<std::size_t> order = addends.sort();
  std::vector<GradientSum> sums;
  std::vector<double> x(order.size());
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t p = 0; p < order.size(); ++p) x[p] = x_of(order[p])[c];
    sums.push_back(gradient_sum(addends, x));
  }
  return sums;
}

}  // namespace

bool is_worth_threads(const Shape& shape) {
  return static_cast<double>(shape.queries) * static_cast<double>(shape.keys) *
             static_cast<double>(shape.dim + shape.value_dim) >
         worth_threads;
}

GradientHead::GradientHead(const DecodedInputs& inputs, const Numerics& numerics, index batch, index head)
    : inputs_(inputs),
      numerics_(numerics),
      batch_(batch),
      head_(head),
      scale_(std::abs(inputs.problem().scale())),
      rows_(static_cast<std::size_t>(inputs.problem().shape.queries)),
      queries_(rows_.size()),
      pairs_(static_cast<std::size_t>(inputs.problem().shape.keys)) {
#pragma omp parallel if (is_worth_threads(inputs.problem().shape))
  {
    const DefaultFloatingPoint environment;  // of this thread of the team
#pragma omp for schedule(dynamic)
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto query = static_cast<index>(i);
      rows_[i] = GradientRowBound(inputs, numerics, batch, head, query);
      queries_[i] = inputs.query(batch, head, query);
    }
  }
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t j = 0; j < rows_[i].keys.size(); ++j)
      pairs_[static_cast<std::size_t>(rows_[i].keys[j])].push_back({i, j});
}

void GradientHead::bound_query(index query, ElementBounds& bounds) const {
  const GradientRowBound& row = rows_[static_cast<std::size_t>(query)];
  if (!row.contributes()) return;
  GradientAddends addends;
  addends.cast_roundoff = numerics_.gradient.cast.roundoff;
  for (std::size_t j = 0; j < row.keys.size(); ++j) add_score_gradient(row, j, numerics_, scale_, false, addends);
  const std::vector<std::size_t> order = addends.sort();
  const double operand = 1 + numerics_.gradient.operand_roundoff;
  const GradientFinish finish{.numerics = numerics_, .scale = scale_, .operands = operand * operand - 1};
  const std::vector<double> moved = moved_keys(row, order);
  std::vector<double> k(order.size());
  for (index c = 0; c < inputs_.problem().shape.dim; ++c) {
    const double* channel = inputs_.key_channel(batch_, head_, c);
    double reach = 0, spread = 0;
    for (std::size_t p = 0; p < order.size(); ++p) {
      const std::size_t j = order[p];
      k[p] = channel[row.keys[j]];
      reach += row.capped.reach[j] * k[p];
      spread += (row.capped.through_delta[j] - (1 - row.margin) * row.capped.reach[j]) * std::abs(k[p]);
    }
    GradientSum sum = gradient_sum(addends, k);
    if (!moved.empty()) add_moved(addends, k, moved, sum);
    // delta errs alike for all keys, and so does log_sum_exp.
    const double through = row.growth() * (std::abs(reach) + spread), shared = row.excess() * std::abs(sum.value);
    sum.deterministic += through * row.delta_error + shared;
    sum.probabilistic += through * row.delta_error_probable + shared;
    finish.store(sum, bounds, batch_, head_, query, c);
  }
}

std::vector<double> GradientHead::moved_keys(const GradientRowBound& row, std::span<const std::size_t> order) const {
  const RowCast& cast = numerics_.score.keys;
  if (!cast.happens()) return {};
  const double* largest = inputs_.largest_in_keys(batch_, head_);
  std::vector<double> moved;
  for (const std::size_t j : order) moved.push_back(cast.of_largest * largest[row.keys[j]] + cast.underflow);
  return moved;
}

void GradientHead::add_moved(const GradientAddends& addends, std::span<const double> k, std::span<const double> moved,
                             GradientSum& sum) const {
  double error = 0;
  for (std::size_t p = 0; p < k.size(); ++p)
    if (k[p] != 0)
      error += (addends.largest[p] + addends.cast[p] + addends.lost[p]) *
               (numerics_.score.keys.roundoff * std::abs(k[p]) + moved[p]);
  sum.size += error;
  sum.deterministic += error;
  sum.probabilistic += error;
}

std::vector<GradientSum> GradientHead::key_sums(index key) const {
  const auto& pairs = pairs_[static_cast<std::size_t>(key)];
  GradientAddends addends;
  addends.cast_roundoff = numerics_.gradient.cast.roundoff;
  for (const PairPlace& at : pairs) add_score_gradient(rows_[at.row], at.entry, numerics_, scale_, true, addends);
  return sums_by_channel(
      std::move(addends), static_cast<std::size_t>(inputs_.problem().shape.dim), [&](std::size_t p) -> const auto& {
        return queries_[pairs[p].row];
      });
}

std::vector<GradientSum> GradientHead::value_sums(index key) const {
  GradientAddends addends;
  addends.cast_roundoff = numerics_.weight.cast.roundoff;
  std::vector<std::size_t> kept;
  for (const PairPlace& at : pairs_[static_cast<std::size_t>(key)]) {
    const GradientRowBound& row = rows_[at.row];
    const double weight = row.weight[at.entry], error = row.weight_error[at.entry], cast = row.weight_cast[at.entry];
    if (!row.kept[at.entry]) continue;
    kept.push_back(at.row);
    addends.value.push_back(weight);
    addends.error.push_back(row.growth() * (error - cast) + row.excess() * weight);
    addends.probable.push_back(addends.error.back());
    addends.cast.push_back(row.growth() * cast);
    addends.lost.push_back(0);
    addends.largest.push_back(row.growth() * (weight + error));
    addends.quantity.push_back(row.exponent[at.entry]);
  }
  return sums_by_channel(
      std::move(addends),
      static_cast<std::size_t>(inputs_.problem().shape.value_dim), [&](std::size_t p) -> const auto& {
        return rows_[kept[p]].dout;
      });
}

GradientSum GradientHead::bias_sum(const PairPlace& at) const {
  const GradientRowBound& row = rows_[at.row];
  const ScoreGradients& from = row.plain;
  const double value = from.value[at.entry], largest = from.largest[at.entry];
  const double cast = numerics_.gradient.cast.roundoff * largest + numerics_.gradient.cast.underflow;
  const auto error = [&](double of_delta) {
    return row.growth() * (from.own[at.entry] + from.through_delta[at.entry] * of_delta) +
           row.excess() * std::abs(value) + cast;
  };
  return {.addends = 1,
          .value = value,
          .size = largest + cast,
          .deterministic = error(row.delta_error),
          .probabilistic = error(row.delta_error_probable)};
}

GradientSum GradientHead::sink_sum() const {
  GradientSum sum;
  for (const GradientRowBound& row : rows_)
    if (row.contributes())
      sum.add({.addends = 1,
               .value = row.sink,
               .size = std::abs(row.sink) + row.sink_error,
               .deterministic = row.sink_error,
               .probabilistic = row.sink_error_probable});
  return sum;
}

}  // namespace attestone
