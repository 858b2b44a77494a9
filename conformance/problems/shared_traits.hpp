// SPDX-License-Identifier: Apache-2.0
// Traits that all failing problems of a run share, and no passing one has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// Something that can be said of a problem.
struct Trait {
  std::string says;         ///< "dim is odd", "keys > 64", "mask=causal"
  std::vector<bool> holds;  ///< of each problem that was asked
};

/// The traits that separate the failing problems from the passing ones.
struct SharedTraits {
  std::vector<std::string> says;  ///< one or more that come to the same on these problems: "dim is odd", "A and B"
  std::size_t failing = 0, passing = 0;
  /// How likely at most some candidate would separate them if as many failures had fallen on the problems at random:
  /// candidates / binomial(failing + passing, failing).
  double chance = 1;
};

/// Every trait that some of the problems have and others do not.
std::vector<Trait> traits_of(const std::vector<Problem>&);

/// One trait, or if none does it two of them together, that all of the failing problems have and no passing one. Only
/// if the chance is below 10^-3: four failures of thirty say something, two of ten nothing.
std::optional<SharedTraits> shared_traits(const std::vector<Problem>& failing, const std::vector<Problem>& passing);

/// "all 14 failing problems and none of the 120 passing ones: dim is odd".
std::string text(const SharedTraits&);

}  // namespace attestone::inline conformance
