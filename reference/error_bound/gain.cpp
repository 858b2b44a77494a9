// SPDX-License-Identifier: Apache-2.0
// Adding up the gain and its bound.
#include "reference/error_bound/gain.hpp"

#include <algorithm>
#include <cmath>

#include "reference/dtypes/dtype.hpp"
#include "reference/error_bound/rounding.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {
namespace {

double sum_of(const std::vector<Rounded>& errors) {
  double sum = 0;
  for (const Rounded& e : errors) sum += e.error;
  return sum;
}

/// At most the sum of all; less where many different cells are involved.
double combined(const std::vector<Rounded>& errors, double roundoff) {
  return windowed_sum(sum_of(errors), errors, 2 * roundoff / windows_per_cell);
}

/// The variance of windows that err by at most their sums, if they are independent and have mean 0.
double variance_of(std::vector<Rounded> errors, double roundoff) {
  const double deviation = windowed_quadrature(std::move(errors), 2 * roundoff / windows_per_cell) / lambda;
  return deviation * deviation;
}

/// Two-sided bounds of combined errors: their sum, and quadrature as if each had a cell of its own.
struct Totals {
  double sum = 0, squares = 0, count = 0;

  void add(const std::vector<Rounded>& errors) {
    for (const Rounded& e : errors) sum += e.error, squares += e.error * e.error;
    count += static_cast<double>(errors.size());
  }
  double combined_at_least() const {
    return count <= lambda * lambda ? sum : std::min(sum, lambda * std::sqrt(squares));
  }
};

const std::vector<Rounded>& casts_of(const GainTerms& row, std::size_t order) {
  return row.casts[order < row.casts.size() ? order : 0];
}

void append(std::vector<Rounded>& all, const std::vector<Rounded>& some) {
  all.insert(all.end(), some.begin(), some.end());
}

double take_all(std::vector<Rounded>& errors) {
  const double sum = sum_of(errors);
  errors.clear();
  return sum;
}

}  // namespace

bool rounds_to_nearest(double roundoff) {
  const auto& formats = Registry<DType>::all();
  return roundoff == 0 || std::any_of(formats.begin(), formats.end(), [&](const auto& format) {
           return !format.second.needs_scales && format.second.unit_roundoff() == roundoff;
         });
}

void leave_what_truncates(GainTerms& terms) {
  if (!rounds_to_nearest(terms.output_roundoff)) terms.others += take_all(terms.outputs);
  if (rounds_to_nearest(terms.cast_roundoff)) return;
  double worst = 0;
  for (std::vector<Rounded>& order : terms.casts) worst = std::max(worst, take_all(order));
  terms.others += worst;
}

void Gain::add(std::span<const double> truth, std::span<const double> answer, GainTerms terms) {
  add(truth, answer, truth, std::move(terms));
}

void Gain::add(std::span<const double> truth, std::span<const double> answer, std::span<const double> direction,
               GainTerms terms) {
  const DefaultFloatingPoint environment;
  for (std::size_t c = 0; c < truth.size(); ++c) {
    error_ += (answer[c] - truth[c]) * direction[c];
    size_ += std::abs(truth[c] * direction[c]);
  }
  others_ += terms.others, beside_grid_ += terms.beside_grid;
  cast_roundoff_ = std::max(cast_roundoff_, terms.cast_roundoff);
  output_roundoff_ = std::max(output_roundoff_, terms.output_roundoff);
  rows_.push_back(std::move(terms));
}

double Gain::bound() const {
  return in_default_floating_point([&] { return bound_here(); });
}

std::size_t Gain::orders() const {
  std::size_t most = 0;
  for (const GainTerms& row : rows_) most = std::max(most, row.casts.size());
  return most;
}

bool Gain::bound_lies_in(double at_least, double below) const {
  const DefaultFloatingPoint environment;
  Totals outputs;
  double least_casts = 0, most_casts = 0, addends = 0;
  for (const GainTerms& row : rows_) outputs.add(row.outputs);
  for (std::size_t order = 0; order < orders(); ++order) {
    Totals all;
    for (const GainTerms& row : rows_)
      if (!row.casts.empty()) all.add(casts_of(row, order));
    least_casts = std::max(least_casts, all.combined_at_least());
    most_casts = std::max(most_casts, all.sum);
    addends = std::max(addends, all.count);
  }
  // The bound adds these numbers in another order, hence a margin.
  const double n = addends + outputs.count + static_cast<double>(rows_.size());
  const double margin = gamma(4 * (n + 16), 0x1p-53) * (most_casts + outputs.sum + std::abs(others_));
  if (at_least * size_ <= least_casts + outputs.combined_at_least() + others_ - margin &&
      most_casts + outputs.sum + others_ + margin < below * size_)
    return true;
  const double bound = bound_here();
  return at_least <= bound && bound < below;
}

std::vector<Rounded> Gain::casts(std::size_t order) const {
  std::vector<Rounded> all;
  for (const GainTerms& row : rows_)
    if (!row.casts.empty()) append(all, casts_of(row, order));
  return all;
}

std::vector<Rounded> Gain::outputs() const {
  std::vector<Rounded> all;
  for (const GainTerms& row : rows_) append(all, row.outputs);
  return all;
}

double Gain::bound_here() const {
  double worst = 0;
  for (std::size_t order = 0; order < orders(); ++order)
    worst = std::max(worst, combined(casts(order), cast_roundoff_));
  return (worst + combined(outputs(), output_roundoff_) + others_) / size_;
}

GainDeviation Gain::deviation() const {
  const DefaultFloatingPoint environment;
  double of_casts = 0, leaning_casts = 0;
  for (std::size_t order = 0; order < orders(); ++order) {
    std::vector<Rounded> all = casts(order);
    leaning_casts = std::max(leaning_casts, cast_roundoff_ * sum_of(all));
    of_casts = std::max(of_casts, variance_of(std::move(all), cast_roundoff_));
  }
  std::vector<Rounded> stored = outputs();
  const double leaning = leaning_casts + output_roundoff_ * sum_of(stored);
  const double variance = of_casts + variance_of(std::move(stored), output_roundoff_);
  return {error_ / size_, (std::max(0.0, others_) + beside_grid_ + leaning) / size_, variance / (size_ * size_)};
}

}  // namespace attestone
