// SPDX-License-Identifier: Apache-2.0
// The problems that a command line asks for.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/kernel.hpp"
#include "conformance/problems/design.hpp"
#include "conformance/program/request/option_words.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// Further problems that are drawn when the kernels are loaded.
struct UnseenRequest {
  index count = 0;
  std::optional<std::uint64_t> seed;  ///< nothing: nobody knows it before

  /// "and 100 unseen problems of seed 7 (--unseen=100:7 asks them again)".
  std::string text() const;
};

/// Problems that were typed, or those of a suite: read, of the formats and with the seed that were asked for.
struct ProblemRequest {
  std::vector<Problem> problems;       ///< at least one
  bool of_a_suite = false;             ///< otherwise they were typed
  std::vector<DesignOptions> designs;  ///< those among the lines of the suite
  std::set<std::string> formats;       ///< of inputs, by name; empty: all
  std::optional<std::uint64_t> seed;   ///< of every problem
  std::optional<UnseenRequest> unseen;
  std::string text;   ///< how a command line asks for them: "--suite=ci --dtype=bf16", or each quoted
  std::string title;  ///< what a report calls them: the typed problems, or the suite's name

  /// True if inputs of this problem's format were asked for.
  bool takes_format(const Problem&) const;
};

/// UserError for problems, suites, formats and seeds that are none, and where no problem is left.
ProblemRequest read_problem_request(const ProblemWords&);

/// The problems as they were typed: one if the words together are one; if several hold a shape, each is one by itself.
/// UserError where that cannot be told.
std::vector<std::string> typed_problems(const std::vector<std::string>& words);

/// Further problems: those that were asked for by number, or, where a kernel from another process is judged on a suite,
/// a few of its fingerprint; and those of the suite's designs, made anew for what the kernel takes. A seed that was
/// left out must have been drawn.
std::vector<Problem> more_problems(const Kernel&, const ProblemRequest&);

}  // namespace attestone::inline conformance
