// SPDX-License-Identifier: Apache-2.0
// One turn of a contender: repeated calls, and their median.
#include "conformance/bench/contender.hpp"

#include "conformance/bench/spread.hpp"

namespace attestone::inline conformance {

double turn_of(const std::function<double()>& timed_call) {
  const double first = timed_call();
  if (first >= turn_seconds) return first;
  std::vector<double> all;
  for (double spent = 0; spent < turn_seconds || all.empty(); spent += all.back()) all.push_back(timed_call());
  return median_of(all);
}

}  // namespace attestone::inline conformance
