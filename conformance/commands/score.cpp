// SPDX-License-Identifier: Apache-2.0
// attestone score: which planted bugs each judge catches.
#include "conformance/score.hpp"

#include <fmt/format.h>

#include "conformance/commands/commands.hpp"

namespace attestone {

ExitStatus score_command() {
  const KillMatrix result = kill_matrix();
  for (const MutantScore& m : result.mutants) {
    fmt::print("{:<34} {} ", m.mutant->name, m.convicted() ? "#" : ".");
    for (const Conviction& c : m.convictions)
      fmt::print(" {}{}", c.on_usual_inputs ? "u" : ".", c.on_its_problem ? "p" : ".");
    fmt::print("\n");
  }
  for (std::size_t j = 0; j < result.judges.size(); ++j) {
    const auto u = result.alarms_on_usual_inputs(j), p = result.alarms_on_problems(j);
    fmt::print("{:<20} usual {:>3} all {:>3}   alarms usual {}/{} problems {}/{} {} | {}\n", result.judges[j]->name,
               result.kills_on_usual_inputs(j), result.kills(j), u.alarms, u.cases, p.alarms, p.cases, u.first,
               p.first);
  }
  fmt::print("ours {} alarms {}/{} {}\n", result.our_kills(), result.our_alarms().alarms, result.our_alarms().cases,
             result.our_alarms().first);
  return result.flawless() ? ExitStatus::ok : ExitStatus::does_not_conform;
}

}  // namespace attestone
