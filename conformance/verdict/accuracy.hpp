// SPDX-License-Identifier: Apache-2.0
// Statistics of the distance between an answer and the truth.
#pragma once

#include <vector>

#include "conformance/verdict/verdict.hpp"

namespace attestone::inline conformance {

/// Collects the elements of O one after the other; elements that are not finite on either side are left out.
class AccuracySums {
 public:
  /// `ulp`: the distance of neighbours in the output format at the largest element of the same sequence and head;
  /// 0 where that is 0 as far as rounding can tell, so that there is no such unit.
  void add(double got, double truth, double ulp);
  /// Everything but r_det and r_prob.
  Accuracy accuracy() const;

 private:
  double squared_error_ = 0, error_ = 0, absolute_error_ = 0;
  double got_squared_ = 0, truth_squared_ = 0, product_ = 0, truth_absolute_ = 0;
  std::size_t count_ = 0;
  std::vector<double> ulps_;
};

}  // namespace attestone::inline conformance
