// SPDX-License-Identifier: Apache-2.0
// Conventions in which libraries differ: what a kernel may declare of its answers beside its arithmetic.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/declared_words.hpp"

namespace attestone {

/// Which tensors the forward pass answers.
enum class AnsweredTensors { out_and_log_sum_exp, out };

/// The answer of a row that sees neither a key nor a sink.
enum class EmptyRows { zero, nan, mean, undefined };

/// The treatment of NaN and infinities in K and V at keys that a row may not see.
enum class HiddenNonfinite { ignored, propagates };

/// The base of log_sum_exp, and of max_logits: e or 2.
enum class LogSumExpBase { ln, log2 };

/// Which corner of queries and keys `causal` is aligned with.
enum class CausalAlignment { bottom_right, top_left };

/// The bits of O and log_sum_exp: the same for the same call, or of sums in the order in which parts arrive.
enum class AnsweredBits { repeat, arrival };

/// A kernel's departures from docs/rules.md, where these are a matter of convention. The default is the
/// rules. docs/conventions.md says what is judged of a kernel that declares others.
struct Conventions {
  AnsweredTensors outputs = AnsweredTensors::out_and_log_sum_exp;
  EmptyRows empty_rows = EmptyRows::zero;
  HiddenNonfinite hidden_nonfinite = HiddenNonfinite::ignored;
  LogSumExpBase lse = LogSumExpBase::ln;
  CausalAlignment causal = CausalAlignment::bottom_right;
  AnsweredBits bits = AnsweredBits::repeat;

  bool has_log_sum_exp() const { return outputs == AnsweredTensors::out_and_log_sum_exp; }
  /// The factor that makes the kernel's log_sum_exp and max_logits natural: 1, or ln 2.
  double log_sum_exp_unit() const;

  bool operator==(const Conventions&) const = default;
};

/// A convention by name, and the words for its values.
struct ConventionField {
  /// A word and what it says.
  struct Value {
    std::string_view word, meaning;
  };
  std::string_view name;
  std::vector<Value> values;  ///< the first is that of the rules
};
const std::vector<ConventionField>& convention_fields();

/// True if this name in a declaration means a convention, and not a field of Numerics.
bool names_convention(std::string_view name);

/// `conventions` with what the words declare: "empty_rows=nan lse=log2". UserError, with `owner` in front, for unknown
/// names and values.
Conventions with_declared(Conventions conventions, std::span<const DeclaredWord>, const std::string& owner);

/// The conventions that a text declares, over the rules.
Conventions declared_conventions(std::string_view text, const std::string& owner);

/// A convention that is not that of the rules.
struct DeclaredConvention {
  std::string_view name, declared, meaning, rules;  ///< "empty_rows", "nan", what that says, "zero"

  std::string text() const;  ///< "empty_rows=nan"
};

/// In the order of convention_fields(); none of a kernel that follows the rules.
std::vector<DeclaredConvention> differing(const Conventions&);

}  // namespace attestone
