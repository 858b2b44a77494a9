// SPDX-License-Identifier: Apache-2.0
// Inputs whose right answer needs no tolerance, and is known without attention.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/properties/property.hpp"
#include "reference/call/visible_pairs.hpp"
#include "reference/numerics/exactness.hpp"

namespace attestone::inline conformance {

/// Why no answer of a problem can be known exactly, whatever its inputs; empty if some can.
std::string without_exact_answers(const Problem&);

/// An element of O before it is rounded to the output format: `value`, or no further from it than `error`,
/// which is what the declared arithmetic may round on the way. 0 where it has nothing to round.
struct ExactNumber {
  double value = 0, error = 0;

  /// True if some number so near becomes `got` in the output format.
  bool is(double got, const DType& output, const Numerics&) const;
};

/// Element (batch, head, query, channel) of O; none where it is not known.
using ExactAnswer = std::function<std::optional<ExactNumber>(index, index, index, index)>;

/// The number in every channel of a row without keys: 0, or unknown here where the kernel has another
/// convention (the property empty_rows asks for that).
std::optional<ExactNumber> of_empty_row(const Trial&);

/// Compares O with what it must be. Inconclusive if nothing is known.
Verdict exactly(Trial&, const Inputs&, const ExactAnswer&);

/// One key for each row that beats all others by so much that their weights are 0 in every format. Where a channel can
/// be spared, its score is 0, whatever the scale: then the weight that is cast is 1, or next to it (docs/exact.md).
class Selection {
 public:
  explicit Selection(const Problem&);

  /// Why no key of a problem can win; empty if one can.
  static std::string impossible(const Problem&);

  /// The key that the row is made to select: seeded, and none for a row that sees no key.
  std::optional<index> key(index batch, index head, index query) const;
  /// The error that rounding may add to the value of the selected key; infinite where another one may win: `undecided`.
  WinnerError error(const Numerics&) const;
  /// The answer in O where the selected key holds `value`, in a row of which no element is larger than this.
  static ExactNumber answer(const WinnerError&, double value, double largest);
  static constexpr std::string_view undecided = "rounded keys may select another one";
  /// Q and K that select, with this V. Lives no longer than the selection.
  ElementSource source(const ElementSource& value) const;

 private:
  double moved_by_codes(const ScoreStage&) const;
  std::size_t place(index batch, index head, index query) const {
    return static_cast<std::size_t>((batch * problem_.shape.heads + head) * problem_.shape.queries + query);
  }

  const Problem& problem_;
  std::vector<index> selected_;  ///< by row; no_key where none can be
};

}  // namespace attestone::inline conformance
