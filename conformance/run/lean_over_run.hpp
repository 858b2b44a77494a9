// SPDX-License-Identifier: Apache-2.0
// One test over all problems of a run: errors too small for any one of them, but the same in all (docs/tolerance.md,
// "Over a run").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/properties/property.hpp"

namespace attestone::inline conformance {

/// One property of one kernel on one problem.
struct Case {
  const Property* property;
  Problem problem;
  Verdict verdict;
};

/// The joint result of the deviations of a run's problems.
struct LeanOverRun {
  /// No right kernel is convicted in more than one of so many runs.
  static constexpr double runs_per_false_alarm = 1e9;

  std::string statistic;      ///< that shows most: "gain of dquery in bf16"
  index problems = 0;         ///< that say something about it
  double lean = 0;            ///< what it is off by, each problem weighed by its information
  double deviation = 0;       ///< the standard deviation of that if it is rounding
  double systematic = 0;      ///< how much of it may be no rounding to nearest
  double log10_evidence = 0;  ///< of all statistics together, at its largest: of the e-value that convicts from 1e9

  bool convicts() const;
  /// "gain of dquery is off by 1.2e-06 ..."
  std::string told() const;
};

/// The test of these cases, in their order; nothing if none of them has a deviation. Of problems with the same seed,
/// whose inputs are the same numbers, only that one counts which says most.
std::optional<LeanOverRun> lean_over_run(const std::vector<Case>&);

}  // namespace attestone::inline conformance
