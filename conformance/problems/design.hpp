// SPDX-License-Identifier: Apache-2.0
// Designed problems: the regimes of the input space, crossed by a covering array.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conformance/problems/regime.hpp"

namespace attestone::inline conformance {

/// How a design crosses regimes, whoever is judged by it.
struct DesignForAll {
  std::uint64_t seed = 1;
  /// Axes of which every three meet as well: of `pairs` those that decide which tiles a kernel visits.
  std::vector<std::string_view> in_threes = {"mask", "queries", "lengths", "pass"};
  /// Axes that keep to some of their regimes: "queries" to "one" and "few".
  std::map<std::string, std::vector<std::string>, std::less<>> held = {};
  index most_work = index{1} << 20;  ///< of a problem, in multiply-adds of q.k: "work=2^20"

  auto operator<=>(const DesignForAll&) const = default;
};

/// And for whom.
struct DesignOptions : DesignForAll {
  /// The problems that a kernel takes; everything, if nobody asks. Then only those regimes are crossed that one of the
  /// problems `taken` can enter and still be taken.
  std::function<bool(const Problem&)> takes = {};
  std::vector<Problem> taken = {};
};

/// The options in a line of a suite: "design=pairs seed=1", or "design=threes", which lets every three of nine axes
/// meet; and which axes it holds: "queries=one,few". UserError, which points into the line, for anything else.
DesignOptions design_options(const std::string& line);

/// Problems in which every two regimes of different axes meet that can.
struct Design {
  std::vector<Problem> problems;
  std::vector<std::string> impossible;  ///< "keys=long with queries=as_keys"
};

/// A pure function of the options, and of what is registered.
Design designed(const DesignOptions&);

/// The problems of a design for all kernels, which a process makes once.
const std::vector<Problem>& problems_of_design(const DesignForAll&);

/// The problems of the same design for a kernel that does not take all of it: its regimes are those that the kernel
/// takes, as far as a few of the problems `known` show. None if the kernel takes the whole design, or none of `known`.
std::vector<Problem> designed_for(const std::function<bool(const Problem&)>& takes, DesignOptions,
                                  const std::vector<Problem>& known);

}  // namespace attestone::inline conformance
