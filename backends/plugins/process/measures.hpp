// SPDX-License-Identifier: Apache-2.0
// Which of the measures that keep outside kernels apart (docs/plugins.md) hold on this machine.
#pragma once

#include <string>
#include <vector>

namespace attestone::inline backends {

/// One thing that keeps what is judged from its judge, and whether this machine permits it.
struct IsolationMeasure {
  std::string name;  ///< "own processes"
  bool holds = false;
  std::string needs;    ///< what the system must grant, and refused where it does not hold: "a seccomp filter"
  std::string without;  ///< what a kernel that is out to deceive can do where it does not hold
};

/// Asks a worker that is started for it. SystemFailure if it cannot be.
std::vector<IsolationMeasure> isolation_measures();

}  // namespace attestone::inline backends
