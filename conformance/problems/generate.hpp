// SPDX-License-Identifier: Apache-2.0
// Random problems, swarm style: each swarm of problems switches whole features off, so that the others meet more often.
#pragma once

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// The `number`-th random problem of a seed; a pure function of both, and of what is registered. Sizes are small and
/// crowd around powers of two. Every mask, bias, layout and fill that is registered is met, and every format that its
/// file does not keep out (reference/random/draws.hpp).
Problem random_problem(std::uint64_t seed, index number);

/// The problem before newcomers enter it (conformance/problems/newcomers.hpp): fixed by seed and number for ever.
Problem settled_problem(std::uint64_t seed, index number);

}  // namespace attestone::inline conformance
