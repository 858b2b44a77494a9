// SPDX-License-Identifier: Apache-2.0
// Random problems, swarm style: each swarm of problems switches whole features off, so that the others meet more often.
#pragma once

#include "reference/problem.hpp"

namespace attestone {

/// The `number`-th random problem of a seed; a pure function of both. Sizes are small and crowd around powers of two.
Problem random_problem(std::uint64_t seed, index number);

}  // namespace attestone
