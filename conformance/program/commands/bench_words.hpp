// SPDX-License-Identifier: Apache-2.0
// Which problems and numbers `attestone bench` was asked for.
#pragma once

#include <vector>

#include "conformance/bench/rounds.hpp"
#include "conformance/program/commands.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// The typed problems, or those of the grids. UserError if both are given, or one cannot be timed.
std::vector<Problem> problems_of(const BenchCommand&);
/// One, and all that OpenMP gives, if nothing is given. UserError for what is no number of threads.
std::vector<int> threads_of(const BenchCommand&);
/// How many rounds, and when they count.
RoundOptions rounds_of(const BenchCommand&);

}  // namespace attestone::inline conformance
