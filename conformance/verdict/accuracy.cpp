// SPDX-License-Identifier: Apache-2.0
// Sums, and what follows from them.
#include "conformance/verdict/accuracy.hpp"

#include <algorithm>
#include <cmath>

#include "conformance/verdict/element_error.hpp"

namespace attestone::inline conformance {

void AccuracySums::add(double got, double truth, double ulp) {
  if (!std::isfinite(got) || !std::isfinite(truth)) return;
  const double error = got - truth;
  squared_error_ += error * error;
  error_ += error;
  absolute_error_ += std::abs(error);
  got_squared_ += got * got;
  truth_squared_ += truth * truth;
  product_ += got * truth;
  truth_absolute_ += std::abs(truth);
  ++count_;
  if (ulp > 0) ulps_.push_back(std::abs(error) / ulp);
}

Accuracy AccuracySums::accuracy() const {
  Accuracy accuracy;
  if (count_ == 0) return accuracy;
  if (std::vector<double> ulps = ulps_; !ulps.empty()) {
    const auto p99 = ulps.begin() + static_cast<std::ptrdiff_t>((ulps.size() - 1) * 99 / 100);
    std::nth_element(ulps.begin(), p99, ulps.end());
    accuracy.p99_ulp = *p99;
    accuracy.max_ulp = *std::max_element(p99, ulps.end());
  }
  const auto count = static_cast<double>(count_);
  accuracy.rmse = std::sqrt(squared_error_ / count);
  accuracy.signed_mean = error_ / count;
  accuracy.relative_l1 = share_of_budget(absolute_error_, truth_absolute_);
  const double norms = std::sqrt(got_squared_) * std::sqrt(truth_squared_);
  accuracy.cosine = norms == 0 ? (squared_error_ == 0 ? 1 : 0) : product_ / norms;
  return accuracy;
}

}  // namespace attestone::inline conformance
