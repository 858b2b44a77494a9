// SPDX-License-Identifier: Apache-2.0
// Adding up the gain and its bound.
#include "reference/error_bound/gain.hpp"

#include <algorithm>
#include <cmath>

#include "reference/error_bound/rounding.hpp"
#include "reference/floating_point_environment.hpp"

namespace attestone {
namespace {

/// At most the sum of all; less where many different cells are involved.
double combined(const std::vector<Rounded>& errors, double roundoff) {
  double sum = 0;
  for (const Rounded& e : errors) sum += e.error;
  return windowed_sum(sum, errors, 2 * roundoff / windows_per_cell);
}

/// What bounds the combination of errors from both sides: their sum, and quadrature as if each had a cell of its own.
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

}  // namespace

void Gain::add(std::span<const double> truth, std::span<const double> answer, GainTerms terms) {
  const DefaultFloatingPoint environment;
  for (std::size_t c = 0; c < truth.size(); ++c) {
    agreement_ += answer[c] * truth[c];
    size_ += truth[c] * truth[c];
  }
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
  double others = 0, least_casts = 0, most_casts = 0, addends = 0;
  for (const GainTerms& row : rows_) others += row.others, outputs.add(row.outputs);
  for (std::size_t order = 0; order < orders(); ++order) {
    Totals all;
    for (const GainTerms& row : rows_)
      if (!row.casts.empty()) all.add(casts_of(row, order));
    least_casts = std::max(least_casts, all.combined_at_least());
    most_casts = std::max(most_casts, all.sum);
    addends = std::max(addends, all.count);
  }
  // The same numbers, added in another order.
  const double n = addends + outputs.count + static_cast<double>(rows_.size());
  const double margin = gamma(4 * (n + 16), 0x1p-53) * (most_casts + outputs.sum + std::abs(others));
  if (at_least * size_ <= least_casts + outputs.combined_at_least() + others - margin &&
      most_casts + outputs.sum + others + margin < below * size_)
    return true;
  const double bound = bound_here();
  return at_least <= bound && bound < below;
}

double Gain::bound_here() const {
  double others = 0, cast_roundoff = 0, output_roundoff = 0;
  std::vector<Rounded> outputs;
  for (const GainTerms& row : rows_) {
    others += row.others;
    append(outputs, row.outputs);
    cast_roundoff = std::max(cast_roundoff, row.cast_roundoff);
    output_roundoff = std::max(output_roundoff, row.output_roundoff);
  }
  double casts = 0;
  for (std::size_t order = 0; order < orders(); ++order) {
    std::vector<Rounded> all;
    for (const GainTerms& row : rows_)
      if (!row.casts.empty()) append(all, casts_of(row, order));
    casts = std::max(casts, combined(all, cast_roundoff));
  }
  return (casts + combined(outputs, output_roundoff) + others) / size_;
}

}  // namespace attestone
