// SPDX-License-Identifier: Apache-2.0
// The exit statuses of the program.
#pragma once

namespace attestone::inline conformance {

/// Where several hold: usage, internal_error, does_not_conform, regression, cut_short, nothing_ran, ok.
enum class ExitStatus {
  ok = 0,
  does_not_conform = 1,
  usage = 2,
  internal_error = 3,  ///< attestone's own failure, or what the machine denied it: no kernel is accused
  regression = 4,      ///< against a baseline
  nothing_ran = 5,
  cut_short = 6,  ///< by a signal or the budget
};

}  // namespace attestone::inline conformance
