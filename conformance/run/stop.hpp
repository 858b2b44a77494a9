// SPDX-License-Identifier: Apache-2.0
// The signal that a run has to stop: asked between cases, and between steps of shrinking.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "backends/stop_request.hpp"
#include "conformance/run/run.hpp"

namespace attestone::inline conformance {

/// The budget, counted from construction, and what interrupts.
class Stop {
 public:
  /// `part()` of the budget may be used; any thread may ask.
  explicit Stop(
      const RunOptions& options, std::function<double()> part = [] { return 1.0; })
      : options_(options), part_(std::move(part)) {}

  std::optional<CutShort> reason() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    if (options_.budget_seconds && spent.count() > part_() * *options_.budget_seconds) return CutShort::budget;
    if (options_.interrupted && options_.interrupted()) return CutShort::interrupted;
    return std::nullopt;
  }
  /// Throws Stopped if there is a reason to.
  void check() const {
    if (reason()) throw Stopped();
  }

 private:
  const RunOptions& options_;
  std::function<double()> part_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace attestone::inline conformance
