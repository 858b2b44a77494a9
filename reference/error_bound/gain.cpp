// SPDX-License-Identifier: Apache-2.0
// Inner products of answer and truth.
#include "reference/error_bound/gain.hpp"

#include <cmath>

namespace attestone {

void Gain::add(std::span<const double> truth, std::span<const double> answer, std::span<const double> bound,
               std::size_t kind) {
  if (kinds_.size() <= kind) kinds_.resize(kind + 1);
  for (std::size_t c = 0; c < truth.size(); ++c) {
    agreement_ += answer[c] * truth[c];
    size_ += truth[c] * truth[c];
    kinds_[kind] += bound[c] * std::abs(truth[c]);
  }
}

double Gain::gain() const { return agreement_ / size_; }

double Gain::bound() const {
  double squares = 0;
  for (const double kind : kinds_) squares += kind * kind;
  return std::sqrt(squares) / size_;
}

}  // namespace attestone
