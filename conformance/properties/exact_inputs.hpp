// SPDX-License-Identifier: Apache-2.0
// Inputs whose right answer needs no tolerance, and is known without attention.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "conformance/property.hpp"
#include "reference/visible_pairs.hpp"

namespace attestone {

/// Why no answer of a problem can be known exactly, whatever its inputs; empty if some can.
std::string without_exact_answers(const Problem&);

/// What element (batch, head, query, channel) of O must be, before it is rounded to the output format; none where that
/// is not known.
using ExactAnswer = std::function<std::optional<double>(index, index, index, index)>;

/// Compares O with what it must be, to the last bit. Inconclusive if nothing is known.
Verdict exactly(Trial&, const Inputs&, const ExactAnswer&);

/// One key for each row that beats all others by so much that their weights are 0 in every format.
class Selection {
 public:
  explicit Selection(const Problem& problem) : problem_(problem), visible_(problem) {}

  /// Why no key of a problem can win; empty if one can.
  static std::string impossible(const Problem&);

  /// The key that the row is made to select: seeded, and none for a row that sees no key.
  std::optional<index> key(index batch, index head, index query) const;
  /// Q and K that select, with this V. Lives no longer than the selection.
  ElementSource source(const ElementSource& value) const;

 private:
  const Problem& problem_;
  VisiblePairs visible_;
};

}  // namespace attestone
