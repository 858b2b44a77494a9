// SPDX-License-Identifier: Apache-2.0
// Naming this build and this machine.
#include "conformance/program/machine.hpp"

#include <hwy/highway.h>
#include <hwy/targets.h>

namespace attestone {

std::string version() { return ATTESTONE_VERSION; }

std::string instruction_set() {
  // Highway numbers better targets lower: the lowest bit that is set is the best one supported.
  const auto supported = hwy::SupportedTargets();
  return hwy::TargetName(supported & -supported);
}

}  // namespace attestone
