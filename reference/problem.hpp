// SPDX-License-Identifier: Apache-2.0
// A problem is everything that determines the right answer, and nothing else; and a problem is one line of text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/dtype.hpp"
#include "reference/layout.hpp"
#include "reference/mask.hpp"
#include "reference/score.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// How the inputs are filled: a name and its arguments, as in "capture:FILE:TENSORS". The fills themselves belong to
/// conformance/.
struct FillChoice {
  std::string name = "normal";
  std::vector<std::string> arguments;

  bool operator==(const FillChoice&) const = default;
};

/// The grammar (docs/rules.md says what the fields mean); fields in this order, defaults omitted by text():
///
///     shape=2x8/2x1000x1000x64[:value_dim]  lengths=7+9  query_lengths=3+4  mask=causal&window:128:0
///     score=softcap:30&alibi  scale=0.1  dropout=0.1  dtype=bf16[>f32]  layout=bshd  fill=uniform
///     pass=forward+backward  seed=7
struct Problem {
  Shape shape;
  std::vector<index> lengths;        ///< keys that each sequence really has; empty: all
  std::vector<index> query_lengths;  ///< queries that each sequence really has; empty: all
  Mask mask;
  Score score;
  std::optional<double> given_scale;
  double dropout = 0;
  DType input = dtype("f32");
  DType output = dtype("f32");
  std::string layout = "bhsd";
  FillChoice fill;
  bool backward = false;
  std::uint64_t seed = 1;

  /// The factor of q.k: the given one, or the double nearest to 1/sqrt(dim). The truth takes this double as exact.
  double scale() const;
  /// The real lengths of one sequence of the batch.
  Sequence sequence(index batch) const;
  /// Whether the pair takes part: neither padding nor masked.
  bool visible(const Pair&) const;
  /// log_sum_exp is f32, or f64 when the output is.
  const DType& log_sum_exp_dtype() const;

  /// The one line that determines this problem; parse(text()) == *this.
  std::string text() const;
  bool operator==(const Problem&) const = default;
};

/// Reads a problem; the fields may come in any order. UserError with a caret otherwise.
Problem parse_problem(std::string_view text);

/// Reads a line in which commas multiply: "mask=full,causal dtype=f16,bf16 shape=..." is four problems, the last field
/// varying fastest. UserError with a caret otherwise.
std::vector<Problem> parse_problems(std::string_view text);

/// A short description of each field for help: {"mask", "mask=causal&window:128:0", "which pairs are visible ..."}.
struct FieldHelp {
  std::string_view name, example, meaning;
};
std::vector<FieldHelp> problem_fields();

}  // namespace attestone
