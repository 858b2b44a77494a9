// SPDX-License-Identifier: Apache-2.0
// Which of the measures that keep outside kernels apart (docs/doors.md) hold on this machine.
#pragma once

#include <string>
#include <vector>

namespace attestone {

/// One thing that keeps what is judged from its judge, and whether this machine permits it.
struct IsolationMeasure {
  std::string name;  ///< "own processes"
  bool holds = false;
  std::string without;  ///< what a kernel that is out to deceive can do where it does not hold
};

/// Asks two workers that are started for it. SystemFailure if they cannot be.
std::vector<IsolationMeasure> isolation_measures();

}  // namespace attestone
