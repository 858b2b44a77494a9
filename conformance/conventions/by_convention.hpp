// SPDX-License-Identifier: Apache-2.0
// The truth for kernels that declare conventions of their own: that of the rules, but for the elements
// that a convention is about.
#pragma once

#include "reference/certified/backward/gradient_truth.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/problem/conventions.hpp"

namespace attestone::inline conformance {

/// The truth of the problem on these inputs for kernels of these conventions: elements get other right answers, or
/// several, or are left open (verdict/element_error.hpp). That of a kernel that follows the rules is returned as it is.
Truth by_convention(Truth, const Conventions&, const Problem&, const Inputs&);
GradientTruth by_convention(GradientTruth, const Conventions&, const Problem&, const Inputs&);

}  // namespace attestone::inline conformance
