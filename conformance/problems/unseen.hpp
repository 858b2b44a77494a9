// SPDX-License-Identifier: Apache-2.0
// Problems that a kernel cannot have been made for.
#pragma once

#include <vector>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// Up to `count` random problems that the kernel says to take, the same each time for the same seed.
std::vector<Problem> unseen_problems(const Kernel&, std::uint64_t seed, std::size_t count);

/// A few, of the kernel's own fingerprint, which it must have: the same each time for the same kernel. Suites are
/// public, and a kernel that knows them meets these as well.
std::vector<Problem> unseen_problems(const Kernel&);

}  // namespace attestone::inline conformance
