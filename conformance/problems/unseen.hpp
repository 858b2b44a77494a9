// SPDX-License-Identifier: Apache-2.0
// Problems that an outside kernel cannot have been made for: drawn by the kernel's own fingerprint.
#pragma once

#include <vector>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// A few random problems that the kernel says to take, the same each time for the same kernel. It must have a
/// fingerprint. Suites are public: a kernel that knows them meets these as well.
std::vector<Problem> unseen_problems(const Kernel&);

}  // namespace attestone::inline conformance
