// SPDX-License-Identifier: Apache-2.0
// Asking every entry without a turn, by draws of its own name.
#include "conformance/problems/newcomers.hpp"

#include <fmt/format.h>

#include "conformance/problems/drawn.hpp"
#include "conformance/problems/fill.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// The purpose of a newcomer's draws, "mask=stripes": FNV-1a with 32 bits (Fowler, Noll and Vo), above the purposes
/// of all other draws.
std::uint32_t purpose(std::string_view kind, std::string_view name) {
  std::uint32_t hash = 0x811c9dc5;
  for (const char c : fmt::format("{}={}", kind, name)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return hash | 1u << 31;
}

/// Calls enter(entry, draws) for each entry that has no turn, as often as its chance says.
template <class Entry, class Enter>
void each_newcomer(std::string_view kind, std::uint64_t seed, index number, Enter enter) {
  for (const auto& [name, entry] : Registry<Entry>::all()) {
    if (entry.drawing.turn > 0) continue;
    Draws draws(seed, purpose(kind, name), number);
    if (draws.chance(entry.drawing.chance)) enter(entry, draws);
  }
}

/// Alone in half of all problems, else together with the mask that was drawn before.
Mask entered(const Mask& before, const Mask& newcomer, Draws& draws) {
  if (before.is_full()) return newcomer;
  switch (draws.integer(0, 3)) {
    case 0:
      return before & newcomer;
    case 1:
      return before | newcomer;
    default:
      return newcomer;
  }
}

}  // namespace

void add_newcomers(std::uint64_t seed, index number, Problem& problem) {
  each_newcomer<MaskRule>("mask", seed, number, [&](const MaskRule& rule, Draws& draws) {
    problem.mask = entered(problem.mask, draws.one_of(drawn_masks(rule, draws, problem.shape)), draws);
  });
  each_newcomer<BiasRule>("score", seed, number, [&](const BiasRule& rule, Draws& draws) {
    if (const ScoreTerm* before = problem.score.bias()) problem.score = problem.score.without(before->rule);
    problem.score.add(drawn_bias(rule, draws));
  });
  each_newcomer<DType>("dtype", seed, number, [&](const DType& format, Draws& draws) {
    problem.input = format;
    if (draws.chance(0.5)) problem.output = format;
  });
  each_newcomer<Layout>("layout", seed, number, [&](const Layout& layout, Draws&) {
    if (layout.takes(problem.shape)) problem.layout = layout.name;
  });
  each_newcomer<Fill>("fill", seed, number, [&](const Fill& fill, Draws&) {
    if (fill.argument_count == 0) problem.fill.name = fill.name;
  });
}

}  // namespace attestone::inline conformance
