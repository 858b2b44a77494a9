// SPDX-License-Identifier: Apache-2.0
// The words that every problem has, and those of the registered formulas.
#include "reference/scores/score_words.hpp"

#include <algorithm>

#include "reference/registry.hpp"
#include "reference/scores/score.hpp"

namespace attestone {
namespace {

/// Gemma 2 (arXiv 2408.00118), section 2, "Logit soft-capping"; GPT-OSS model card (arXiv 2508.10925) for sinks.
std::vector<ScoreWord> plain_words() {
  using Argument = ScoreWord::Argument;
  return {{"bias",
           "adds an element of the bias tensor; the kind says which axes it has: full [batch, heads, queries, "
           "keys], head [heads, queries, keys], batch [batch, queries, keys], pair [queries, keys], key [batch, "
           "keys]; -inf hides the pair",
           Argument::kind,
           {"full", "head", "batch", "pair", "key"}},
          {"sink",
           "one more logit in every softmax, without a key and a value; kind head: one for each query head",
           Argument::kind,
           {"head"}},
          {"softcap", "c tanh(s / c) in place of s, before the mask; c > 0", Argument::number}};
}

}  // namespace

std::vector<ScoreWord> score_words() {
  std::vector<ScoreWord> all = plain_words();
  for (const auto& [name, rule] : Registry<BiasRule>::all())
    all.push_back(
        {rule.name, rule.summary, rule.takes_number ? ScoreWord::Argument::number : ScoreWord::Argument::none});
  std::ranges::sort(all, {}, &ScoreWord::name);
  require(std::ranges::adjacent_find(all, {}, &ScoreWord::name) == all.end(), "every score term has a name of its own");
  return all;
}

std::optional<ScoreWord> score_word(std::string_view name) {
  for (const ScoreWord& word : score_words())
    if (word.name == name) return word;
  return std::nullopt;
}

}  // namespace attestone
