// SPDX-License-Identifier: Apache-2.0
// What happens to a score between scale * q.k and the softmax: softcap, then one bias; and the sink beside it all
// (docs/rules.md, rule 1).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/shape.hpp"

namespace attestone {

/// A named change of the scores: one file in reference/scores/.
struct ScoreRule {
  enum class Stage {
    cap,   ///< a function of the raw score; its argument is the cap
    bias,  ///< a number added to the capped score: by a formula, or from a tensor of the inputs
    sink,  ///< one more logit of the softmax, without a key and a value
  };
  enum class Argument {
    none,
    number,  ///< "name:number", greater than 0
    kind,    ///< "name:kind", which tensor of the inputs it reads
  };
  std::string_view name;
  std::string_view summary;
  Stage stage;
  Argument argument;
  std::vector<std::string_view> kinds = {};  ///< of a rule that takes a kind
  /// Stage cap: the new score. Null at other stages.
  double (*cap)(double score, double argument) = nullptr;
  /// A bias by formula: adds to row[i] what the rule adds to the score of key first.key + i, exact in double. Null
  /// otherwise.
  void (*add_biases)(const Shape&, const Sequence&, double argument, const Pair& first,
                     std::span<double> row) = nullptr;
};

/// One rule with its argument, as in "softcap:30" or "bias:head".
struct ScoreTerm {
  std::string rule;
  double argument = 0;
  std::string kind = {};

  bool operator==(const ScoreTerm&) const = default;
};

/// The terms of a problem, at most one of each stage, kept in the order in which they apply.
class Score {
 public:
  void add(ScoreTerm);
  const std::vector<ScoreTerm>& terms() const { return terms_; }
  bool has(std::string_view rule) const;

  /// The cap c of s -> c tanh(s / c), if there is one.
  std::optional<double> softcap() const;
  /// The term of a stage, if there is one; null otherwise.
  const ScoreTerm* term(ScoreRule::Stage) const;
  bool has_bias() const { return term(ScoreRule::Stage::bias); }
  bool has_sink() const { return term(ScoreRule::Stage::sink); }
  /// The kind of the bias that is a tensor of the inputs ("head"); nothing if there is none.
  std::optional<std::string_view> bias_tensor() const;

  /// The text of the problem grammar ("softcap:30&alibi"); nothing without terms.
  std::string text() const;
  bool operator==(const Score&) const = default;

 private:
  std::vector<ScoreTerm> terms_;
};

}  // namespace attestone
