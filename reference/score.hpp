// SPDX-License-Identifier: Apache-2.0
// What happens to a score between scale * q.k and the mask: softcap first, then biases (docs/rules.md, rule 1).
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
    bias,  ///< a number added to the capped score
  };
  std::string_view name;
  std::string_view summary;
  Stage stage;
  bool takes_number;  ///< whether the text is "name:number"
  /// Stage cap: the new score. Null at other stages.
  double (*cap)(double score, double argument) = nullptr;
  /// Stage bias: adds to row[i] what the rule adds to the score of key first.key + i, exact in double. Null at other
  /// stages.
  void (*add_biases)(const Shape&, const Sequence&, const Pair& first, std::span<double> row) = nullptr;
};

/// One rule with its argument, as in "softcap:30".
struct ScoreTerm {
  std::string rule;
  double argument = 0;

  bool operator==(const ScoreTerm&) const = default;
};

/// The terms of a problem, each rule at most once, kept in the order in which they apply.
class Score {
 public:
  void add(ScoreTerm);
  const std::vector<ScoreTerm>& terms() const { return terms_; }
  bool has(std::string_view rule) const;

  /// The cap c of s -> c tanh(s / c), if there is one.
  std::optional<double> softcap() const;
  bool has_bias() const;
  /// The sum of all biases of one pair; exact in double.
  double bias(const Shape&, const Sequence&, const Pair&) const;
  /// The whole change in plain double: cap, then biases. The readable ladder's own evaluation.
  double apply(double raw_score, const Shape&, const Sequence&, const Pair&) const;

  /// The text of the problem grammar ("softcap:30&alibi"); nothing without terms.
  std::string text() const;
  bool operator==(const Score&) const = default;

 private:
  std::vector<ScoreTerm> terms_;
};

}  // namespace attestone
