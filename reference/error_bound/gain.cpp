// SPDX-License-Identifier: Apache-2.0
// Adding up the gain and its bound.
#include "reference/error_bound/gain.hpp"

#include <algorithm>
#include <cmath>

#include "reference/floating_point_environment.hpp"

namespace attestone {
namespace {

/// At most the sum of all; less where many different cells are involved.
double combined(const std::vector<Rounded>& errors, double roundoff) {
  double sum = 0;
  for (const Rounded& e : errors) sum += e.error;
  return windowed_sum(sum, errors, 2 * roundoff / windows_per_cell);
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

double Gain::bound_here() const {
  double others = 0, cast_roundoff = 0, output_roundoff = 0;
  std::size_t orders = 0;
  std::vector<Rounded> outputs;
  for (const GainTerms& row : rows_) {
    others += row.others;
    append(outputs, row.outputs);
    orders = std::max(orders, row.casts.size());
    cast_roundoff = std::max(cast_roundoff, row.cast_roundoff);
    output_roundoff = std::max(output_roundoff, row.output_roundoff);
  }
  double casts = 0;
  for (std::size_t order = 0; order < orders; ++order) {
    std::vector<Rounded> all;
    for (const GainTerms& row : rows_)
      if (!row.casts.empty()) append(all, row.casts[order < row.casts.size() ? order : 0]);
    casts = std::max(casts, combined(all, cast_roundoff));
  }
  return (casts + combined(outputs, output_roundoff) + others) / size_;
}

}  // namespace attestone
