// SPDX-License-Identifier: Apache-2.0
// Adds the time of a scope to a sum.
#pragma once

#include <chrono>

namespace attestone::inline conformance {

/// Runs from its construction to the end of the scope.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds), start_(Clock::now()) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_;
};

}  // namespace attestone::inline conformance
