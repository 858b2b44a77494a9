// SPDX-License-Identifier: Apache-2.0
// Reads score terms joined by &.
#include "reference/problem_fields.hpp"
#include "reference/registry.hpp"

namespace attestone {

Score read_score(Scanner& in) {
  Score score;
  do {
    const std::size_t begin = in.position();
    const std::string name = in.word("a score term");
    const ScoreRule* rule = Registry<ScoreRule>::find(name);
    if (!rule) in.fail(begin, "unknown score term '" + name + "'", did_you_mean(name, Registry<ScoreRule>::names()));
    if (score.has(name)) in.fail(begin, "score term '" + name + "' is given twice");
    ScoreTerm term{name, 0};
    if (rule->takes_number) {
      in.expect(':', ("before the number of '" + name + "'").c_str());
      const std::size_t number = in.position();
      term.argument = in.number("the argument of the score term");
      if (!(term.argument > 0)) in.fail(number, "the argument of '" + name + "' is greater than 0");
    }
    score.add(term);
  } while (in.take('&'));
  return score;
}

}  // namespace attestone
