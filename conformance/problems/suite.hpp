// SPDX-License-Identifier: Apache-2.0
// Suites: text files whose lines are problems in the language of the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/problems/design.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// Reads the lines of a suite. Each is self-contained:
///
///     # a comment
///     shape=1x2x64x65x64 mask=full,causal dtype=f32,bf16       commas multiply
///     random=200 seed=1 dtype=bf16 mask=full,causal            random problems, 200 for each mask; the fields that are
///                                                              given are kept
///     design=pairs seed=1                                      every two regimes of the input space, if they can meet;
///                                                              design=threes: also every three of nine axes
///
/// `name` is what messages call the text. UserError with the number of the line otherwise, and for more than a million
/// problems.
std::vector<Problem> parse_suite(std::string_view text, const std::string& name);

/// A suite by name (smoke, ci, ...) or by the path of a file. UserError if there is neither.
std::vector<Problem> load_suite(const std::string& name_or_path);

/// The contents of a suite: its problems, and the designs that some of them were made by.
struct SuiteContents {
  std::vector<Problem> problems;
  std::vector<DesignOptions> designs;
};

/// A suite as load_suite takes it, read once.
SuiteContents read_suite(const std::string& name_or_path);

/// The suites that come with attestone: name and text.
struct Suite {
  std::string_view name, text;
};
std::vector<Suite> builtin_suites();

}  // namespace attestone::inline conformance
