// SPDX-License-Identifier: Apache-2.0
// The kernels that no judge may convict.
#pragma once

#include <vector>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// Each right kernel among the mutants once, but for those that are published kernels: what mutants are but for their
/// fault, and other ways to be right.
std::vector<SharedKernel> twins();

/// The twins of the mutants, and the kernels of the catalogue in the settings that their entries name.
std::vector<SharedKernel> correct_kernels();

}  // namespace attestone::inline conformance
