// SPDX-License-Identifier: Apache-2.0
// A problem is everything that determines the right answer, and nothing else; and a problem is one line of text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/dtypes/dtype.hpp"
#include "reference/masks/mask.hpp"
#include "reference/problem/tensor_choices.hpp"
#include "reference/scores/score.hpp"
#include "reference/shape.hpp"

namespace attestone {

/// How the inputs are filled: a name and its arguments, as in "capture:FILE:TENSORS". The fills themselves belong to
/// conformance/.
struct FillChoice {
  std::string name = "normal";
  std::vector<std::string> arguments;

  bool operator==(const FillChoice&) const = default;
};

/// The grammar (docs/problems.md); fields in this order, defaults omitted by text():
///
///     shape=2x8/2x1000x1000x64[:value_dim]  lengths=7+9  query_lengths=3+4  padding=left  spare_rows=8
///     mask=causal&window:128:0  score=softcap:30&alibi  scale=0.1  dropout=0.1  value=key
///     dtype=bf16[:granularity][+bf16+bf16][>f32]  layout=bshd[+dout/transposed]  fill=uniform
///     pass=forward+backward  wants=out+dquery  deterministic=0  threads=3  seed=7
///
/// Choices that no truth and no kernel knows yet are read and printed, and refused before anything runs
/// (reference/problem/to_come.hpp).
struct Problem {
  Shape shape;
  std::vector<index> lengths;        ///< keys that each sequence really has; empty: all
  std::vector<index> query_lengths;  ///< queries that each sequence really has; empty: all
  bool left_padded = false;          ///< padding stands before the rows of a sequence, not behind them
  index spare_rows = 0;              ///< rows of memory behind each place of a sequence, in which nobody has business
  Mask mask;
  Score score;
  std::optional<double> given_scale;
  double dropout = 0;
  bool value_is_key = false;    ///< V is the first value_dim channels of K
  DType input = dtype("f32");   ///< of query, where `formats` differ
  std::vector<Format> formats;  ///< of query, key and value; empty where all three are `input`, without scales
  DType output = dtype("f32");
  std::string layout = "bhsd";
  std::vector<index> layout_arguments;       ///< of a layout that takes some: the 16 of paged:16
  std::vector<TensorLayout> tensor_layouts;  ///< of tensors that lie otherwise than `layout` says, in canonical order
  FillChoice fill;
  bool backward = false;
  std::vector<TensorName> wants;  ///< the answers that are asked for, in canonical order; empty: usual_answers()
  bool deterministic = true;      ///< whether repeated backward calls must give the same bits
  int threads = 0;                ///< how many threads a kernel is asked to use; 0: as many as there are
  std::uint64_t seed = 1;

  /// The factor of q.k: the given one, or the double nearest to 1/sqrt(dim). The truth takes this double as exact.
  double scale() const;
  /// The real lengths of one sequence of the batch.
  Sequence sequence(index batch) const;
  /// True if the pair takes part: neither padding nor masked.
  bool visible(const Pair&) const;
  /// log_sum_exp is f32, or f64 when the output is; so is max_logits.
  const DType& log_sum_exp_dtype() const;

  /// The answers that are asked for where `wants` says nothing else: out, log_sum_exp, and the gradients that there
  /// are.
  std::vector<TensorName> usual_answers() const;
  /// True if the problem asks for this answer. With gradients, out and log_sum_exp are always asked for: the backward
  /// pass reads them.
  bool wanted(TensorName answer) const;
  /// True if all usual answers are asked for, alone or with max_logits.
  bool wants_all() const;
  /// From now on they are; max_logits if it was asked for.
  void want_all();
  /// From now on there is a forward pass alone, of which everything is asked for if gradients were.
  void drop_gradients();
  /// From now on every tensor is packed: layout=bhsd for all, and no spare rows.
  void pack();

  /// The one line that determines this problem; parse(text()) == *this.
  std::string text() const;
  bool operator==(const Problem&) const = default;
};

/// Reads a problem; the fields may come in any order. UserError with a caret otherwise.
Problem parse_problem(std::string_view text);

/// A line in which commas multiply as the lines that it stands for, the last field varying fastest. UserError with a
/// caret if they are too many.
std::vector<std::string> multiplied(std::string_view text);

/// Reads such a line: "mask=full,causal dtype=f16,bf16 shape=..." is four problems. UserError with a
/// caret otherwise.
std::vector<Problem> parse_problems(std::string_view text);

/// A short description of each field for help: {"mask", "mask=causal&window:128:0", "which pairs are visible ..."}.
struct FieldHelp {
  std::string_view name, example, meaning;
};
std::vector<FieldHelp> problem_fields();

}  // namespace attestone
