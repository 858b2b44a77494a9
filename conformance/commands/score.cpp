// SPDX-License-Identifier: Apache-2.0
// attestone score: which planted bugs each judge catches.
#include "conformance/score.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "conformance/commands/commands.hpp"
#include "reference/registry.hpp"

namespace attestone {

ExitStatus score_command() {
  const auto scores = score_mutants();
  fmt::print("{:<34}{:<44}{:<28}{:<10}", "mutant", "seen in", "convicted by", "twin");
  for (const auto& [name, judge] : Registry<Judge>::all()) fmt::print("{:<30}", name);
  fmt::print("\n{:<116}", "");
  for (std::size_t i = 0; i < Registry<Judge>::all().size(); ++i)
    fmt::print("{:<15}{:<15}", "usual inputs", "its problem");
  fmt::print("\n");
  const auto word = [](bool let_through) { return let_through ? "lets through" : "catches"; };
  for (const MutantScore& score : scores) {
    fmt::print("{:<34}{:<44}{:<28}{:<10}", score.mutant->name, score.mutant->source,
               score.convicted() ? score.mutant->property : "NOBODY", text(score.twin.outcome));
    for (const LetThrough& judge : score.judges)
      fmt::print("{:<15}{:<15}", word(judge.on_usual_inputs), word(judge.on_its_problem));
    if (score.judges.empty()) fmt::print("(the backward pass: these rules look at O)");
    fmt::print("\n");
  }
  fmt::print(
      "\nusual inputs: normal, shape 1x4x128x128x64, full and causal, f16 and bf16; its problem: normal inputs "
      "there\n");
  for (const auto& [name, judge] : Registry<Judge>::all()) fmt::print("{:<15} {}\n", name, judge.rule);
  const bool all_caught = std::ranges::all_of(
      scores, [](const MutantScore& s) { return s.convicted() && s.twin.outcome == Outcome::passed; });
  return all_caught ? ExitStatus::ok : ExitStatus::does_not_conform;
}

}  // namespace attestone
