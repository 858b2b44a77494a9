// SPDX-License-Identifier: Apache-2.0
// How times grow with length, and fall with threads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conformance/bench/bench_result.hpp"

namespace attestone::inline conformance {

/// Times of one contender on problems that differ in their length only.
struct Growth {
  std::string contender;
  int threads = 1;
  std::string family;                                  ///< the problem's text with N in place of the length
  std::vector<std::pair<double, double>> points = {};  ///< tokens, and the median of seconds
  double slope = 0;                                    ///< of log time over log tokens: 2 is quadratic
};

/// One contender on one problem with more and more threads.
struct SpeedUp {
  std::string contender, problem;
  std::vector<std::pair<int, double>> points = {};  ///< threads, and how many times as fast as with the fewest
};

/// The growths over at least two lengths.
std::vector<Growth> growths(const BenchResult&);
/// The speed-ups over at least two numbers of threads.
std::vector<SpeedUp> speed_ups(const BenchResult&);

/// "shape=1x8xNxNx64 mask=causal": N in place of the keys, and of the queries where they are as many.
std::string family_of(const Problem&);

}  // namespace attestone::inline conformance
