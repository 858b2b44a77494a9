// SPDX-License-Identifier: Apache-2.0
// Reads score terms joined by &.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/problem/problem_fields.hpp"
#include "reference/scores/score_words.hpp"

namespace attestone {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ScoreWord& word : score_words()) all.emplace_back(word.name);
  return all;
}

void read_number(Scanner& in, ScoreTerm& term) {
  in.expect(':', ("before the number of '" + term.rule + "'").c_str());
  const std::size_t begin = in.position();
  term.argument = in.number("the argument of the score term");
  // Kernels receive it as f32.
  const auto received = static_cast<float>(term.argument);
  if (!(received > 0)) in.fail(begin, "the argument of '" + term.rule + "' is greater than 0");
  if (std::isinf(received)) in.fail(begin, "the argument of '" + term.rule + "' is beyond f32");
}

void read_kind(Scanner& in, const ScoreWord& word, ScoreTerm& term) {
  const std::string known = fmt::format("known: {}", fmt::join(word.kinds, " "));
  if (!in.take(':')) in.fail(in.position(), "score term '" + term.rule + "' needs a kind", known);
  const std::size_t begin = in.position();
  term.kind = in.word("a kind");
  if (std::ranges::find(word.kinds, term.kind) == word.kinds.end())
    in.fail(begin, fmt::format("'{}' is no kind of {}", term.kind, term.rule), known);
}

}  // namespace

Score read_score(Scanner& in) {
  Score score;
  do {
    const std::size_t begin = in.position();
    ScoreTerm term{in.word("a score term")};
    const std::optional<ScoreWord> word = score_word(term.rule);
    if (!word) in.fail(begin, "unknown score term '" + term.rule + "'", did_you_mean(term.rule, names()));
    if (score.has(term.rule)) in.fail(begin, "score term '" + term.rule + "' is given twice");
    if (!score.takes(term.rule))
      in.fail(begin, fmt::format("'{}' and '{}' exclude each other", score.bias()->rule, term.rule),
              "a problem has one bias; add several up in the tensor of score=bias:full");
    if (word->argument == ScoreWord::Argument::number) read_number(in, term);
    if (word->argument == ScoreWord::Argument::kind) read_kind(in, *word, term);
    score.add(term);
  } while (in.take('&'));
  return score;
}

}  // namespace attestone
