// SPDX-License-Identifier: Apache-2.0
// A failing kernel's treatment of masks and scores, read back from its answers.
#pragma once

#include <string>
#include <vector>

#include "backends/kernel.hpp"

namespace attestone::inline conformance {

/// Lines for people: the right mask beside the one that the kernel uses, and scores that are not what they should be.
/// Empty if all is right, or cannot be read on such a problem.
std::vector<std::string> read_out(const Kernel&, const Problem&);

/// The class of arithmetic that the kernel is worthy of, or how many bits its sums of P V keep, if that is below what
/// it declares and can be read. Says little of kernels with wrong masks or scores.
std::vector<std::string> precision_read_out(const Kernel&, const Problem&);

}  // namespace attestone::inline conformance
