// SPDX-License-Identifier: Apache-2.0
// The steps of a score between scale * q.k and the softmax: softcap, then one bias; and the sink beside it all
// (docs/rules.md, rule 1).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/random/draws.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// A bias by formula: one file in reference/scores/. Kernels never call it: they know rules by their names, with
/// formulas of their own, and refuse the others.
struct BiasRule {
  std::string_view name;
  std::string_view summary;
  std::string_view noun;      ///< what has it, as in "all failing problems: relative positions"
  bool takes_number = false;  ///< written "name:number", the number greater than 0
  /// Adds to row[i] what the rule adds to the score of key first.key + i, exact in double.
  void (*add_biases)(const Shape&, const Sequence&, double number, const Pair& first, std::span<double> row);

  // How random problems draw it, and of which numbers.
  Drawing drawing = {};
  std::vector<double> drawn_numbers = {0.01, 0.1, 0.5};
};

/// One term as it is written: "softcap:30", "alibi" or "bias:head".
struct ScoreTerm {
  std::string rule;
  double argument = 0;  ///< greater than 0 where there is one
  std::string kind = {};

  std::string text() const;
  bool operator==(const ScoreTerm&) const = default;
};

/// The terms that a problem applies to its scores. Each step is known to every layer by itself; only biases by formula
/// are open to new ones.
class Score {
 public:
  /// True if a term of this rule can be added: neither the term nor, if it is a bias, another bias is there yet.
  bool takes(std::string_view rule) const;
  void add(const ScoreTerm&);
  Score without(std::string_view rule) const;
  /// In the order in which they apply.
  std::vector<ScoreTerm> terms() const;
  bool has(std::string_view rule) const;

  /// The cap c of s -> c tanh(s / c), if there is one.
  std::optional<double> softcap() const { return softcap_; }
  bool has_bias() const { return bias_.has_value(); }
  /// The bias, by formula or from a tensor; null if there is none.
  const ScoreTerm* bias() const { return bias_ ? &*bias_ : nullptr; }
  /// The bias that a registered formula gives, by its name; null if there is none.
  const ScoreTerm* bias_formula() const { return bias_ && bias_->kind.empty() ? &*bias_ : nullptr; }
  /// The kind of the bias that is a tensor of the inputs ("head"); nothing if there is none.
  std::optional<std::string_view> bias_tensor() const;
  bool has_sink() const { return sink_.has_value(); }

  /// The text of the problem grammar ("softcap:30&alibi"); nothing without terms.
  std::string text() const;
  bool operator==(const Score&) const = default;

 private:
  std::optional<double> softcap_;
  std::optional<ScoreTerm> bias_;    ///< a formula with its number, or the tensor with its kind
  std::optional<std::string> sink_;  ///< its kind: "head"
};

}  // namespace attestone
