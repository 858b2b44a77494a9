// SPDX-License-Identifier: Apache-2.0
// Which pairs are visible: every registered mask, and two together.
#include <algorithm>

#include "conformance/problems/drawn.hpp"
#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

Mask drawn(const MaskRule& rule, Problem& problem, Draws& draws) {
  return draws.one_of(drawn_masks(rule, draws, problem.shape));
}

/// How far a window reaches: often to the edge of a tile, where a kernel begins or ends.
index reach(const Problem& problem, Draws& draws) {
  const index edge = (index{1} << draws.integer(3, 7)) + draws.integer(-1, 1);
  return draws.chance(0.5) ? edge : draws.integer(1, std::max<index>(problem.shape.keys, 1));
}

/// Windows with these sides bounded: each has tiles of its own to skip.
Regime windows(const char* name, bool left, bool right) {
  return {name,
          [=](Problem& problem, Draws& draws) {
            const index before = left ? reach(problem, draws) : -1, behind = right ? reach(problem, draws) : -1;
            problem.mask = Mask("window", {before, behind});
          },
          [=](const Problem& problem) {
            if (problem.mask.rule() != "window") return false;
            const auto& sides = problem.mask.arguments();
            return (sides[0] >= 0) == left && (right ? sides[1] > 0 : sides[1] < 0);
          }};
}

/// A window that ends at the query itself.
Regime causal_windows() {
  return {"window",
          [](Problem& problem, Draws& draws) {
            problem.mask = Mask("window", {reach(problem, draws), 0});
          },
          [](const Problem& problem) {
            return problem.mask.rule() == "window" && problem.mask.arguments()[0] >= 0 &&
                   problem.mask.arguments()[1] == 0;
          }};
}

std::vector<Regime> regimes() {
  std::vector<Regime> all{causal_windows(), windows("window_both", true, true), windows("window_left", true, false),
                          windows("window_right", false, true)};
  for (const auto& [name, rule] : Registry<MaskRule>::all())
    if (name != "window")
      all.push_back({name,
                     [&rule = rule](Problem& problem, Draws& draws) { problem.mask = drawn(rule, problem, draws); },
                     [name = name](const Problem& problem) { return problem.mask.rule() == name; }});
  const auto two = [](Problem& problem, Draws& draws) {
    const auto any = [&] { return Mask("window", {draws.integer(0, 40), draws.integer(-1, 40)}); };
    const Mask one = any(), other = draws.chance(0.5) ? any() : Mask("causal");
    problem.mask = draws.chance(0.4) ? ~one : draws.chance(0.5) ? one & ~other : one | other;
  };
  all.push_back({"combined", two, [](const Problem& problem) { return problem.mask.kind() != Mask::Kind::rule; }});
  return all;
}

const Registration<Axis> registered{{
    .name = "mask",
    .aim = "tiles that are skipped, seen whole or in part, and rows that see nothing",
    .turn = 9,
    .regimes = regimes,
}};

}  // namespace
}  // namespace attestone::inline conformance
