// SPDX-License-Identifier: Apache-2.0
// Which problems `attestone run` was asked for.
#pragma once

#include <string>
#include <vector>

#include "backends/kernel.hpp"
#include "conformance/program/commands.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// The problems as they were typed: one if the words together are one; if several hold a shape, each is one by itself.
/// UserError where that cannot be told.
std::vector<std::string> typed_problems(const std::vector<std::string>& words);

/// The problems of the command line or of the suite, of the formats and with the seed that were asked for; at least
/// one. UserError otherwise.
std::vector<Problem> problems_of(const RunCommand&);

/// Those of the formats that --dtype names; all of them without.
std::vector<Problem> of_dtypes(const RunCommand&, const std::vector<Problem>&);

/// Of a suite whose designs the kernel does not take as a whole: the problems of the same designs for what it takes, as
/// far as the problems `known` show it.
std::vector<Problem> problems_designed_for(const Kernel&, const RunCommand&, const std::vector<Problem>& known);

/// How a command line asks for these problems: "--suite=ci --dtype=bf16", or the typed problems, each quoted.
std::string asked_text(const RunCommand&);

/// What the problems are called in a report: the typed problems, or the suite's name.
std::string title_of(const RunCommand&);

}  // namespace attestone::inline conformance
