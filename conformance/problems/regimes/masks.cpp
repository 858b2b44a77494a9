// SPDX-License-Identifier: Apache-2.0
// Which pairs are visible: every registered mask, and two together.
#include "conformance/problems/drawn.hpp"
#include "conformance/problems/regime.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

Mask drawn(const MaskRule& rule, Problem& problem, Draws& draws) {
  return draws.one_of(drawn_masks(rule, draws, problem.shape));
}

std::vector<Regime> regimes() {
  std::vector<Regime> all;
  for (const auto& [name, rule] : Registry<MaskRule>::all())
    all.push_back({name, [&rule = rule](Problem& problem, Draws& draws) { problem.mask = drawn(rule, problem, draws); },
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
}  // namespace attestone
