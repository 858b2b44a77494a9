// SPDX-License-Identifier: Apache-2.0
// Coverage: which features of attention a problem exercises, and how often a run could tell right from wrong on each.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/verdict/verdict.hpp"
#include "reference/problem/problem.hpp"

namespace attestone::inline conformance {

/// A feature that --require can name: those of every problem, and each registered bias by formula.
struct Feature {
  std::string_view name;
  std::string_view meaning;
  std::function<bool(const Problem&)> present;
};
const std::vector<Feature>& features();

/// Words of --require besides features: that nothing is declared that is looser than the default classes.
inline constexpr std::string_view default_class = "default_class";
/// And that no convention is declared but those of the rules.
inline constexpr std::string_view default_conventions = "default_conventions";

/// The names of the features that a problem has: those of features(), its dtype, mask rules, score terms, layout and
/// fill.
std::vector<std::string> features_of(const Problem&);

/// The formats of a problem as its text names them: "bf16", "bf16>f32".
std::string dtype_text(const Problem&);

/// Counts of outcomes for each feature.
using Coverage = std::map<std::string, std::map<Outcome, index>>;

}  // namespace attestone::inline conformance
