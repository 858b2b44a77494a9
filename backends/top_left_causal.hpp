// SPDX-License-Identifier: Apache-2.0
// Kernels whose `causal` aligns the first query with the first key, among problems as the rules read them.
#pragma once

#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// The problem as a kernel of these conventions understands it, in the words of the rules: with causal=top_left every
/// `causal` in its mask is causal:top_left, where that is another mask.
Problem as_understood(Problem, const Conventions&);

/// The reverse: the problem as a kernel of these conventions has to be asked for it.
Problem as_named(Problem, const Conventions&);

/// The kernel, so that it takes problems as the rules read them: one that declares causal=top_left is asked for
/// causal:top_left as `causal`, and refuses where queries and keys differ in number and the last ones are to be
/// aligned. Any other kernel is returned as it is.
SharedKernel following_the_rules_of_causal(SharedKernel);

}  // namespace attestone::inline backends
