// SPDX-License-Identifier: Apache-2.0
// Designed problems: the regimes of the input space, crossed by a covering array.
#pragma once

#include <string>
#include <vector>

#include "conformance/problems/regime.hpp"

namespace attestone {

/// How a design crosses regimes.
struct DesignOptions {
  std::uint64_t seed = 1;
  /// Axes of which every three meet as well: of `pairs` those that decide which tiles a kernel visits.
  std::vector<std::string_view> in_threes = {"mask", "queries", "lengths", "pass"};
  index most_work = index{1} << 22;  ///< of a problem, in multiply-adds of q.k
};

/// What a line of a suite asks for: "design=pairs seed=1", or "design=threes", which lets every three of nine axes
/// meet. UserError, which points into the line, for anything else.
DesignOptions design_options(const std::string& line);

/// Problems in which every two regimes of different axes meet that can.
struct Design {
  std::vector<Problem> problems;
  std::vector<std::string> impossible;  ///< "keys=long with queries=as_keys"
};

/// A pure function of the options, and of what is registered.
Design designed(const DesignOptions&);

}  // namespace attestone
