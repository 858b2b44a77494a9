// SPDX-License-Identifier: Apache-2.0
// Finds out if a query sees any key at all, to tell a row without keys from one whose keys add up to nothing.
#pragma once

#include "backends/cpu/parts/score_row.hpp"
#include "backends/cpu/parts/visible_tiles.hpp"

namespace attestone::inline backends {

/// By mask, and by biases of -infinity.
class SeesAnyKey {
 public:
  SeesAnyKey(const Problem& problem, const KernelInputs& inputs, index batch, index head)
      : visible_(problem, inputs, batch, head),
        scores_(problem, inputs, batch, head, ScoreRow::Base::two),
        keys_(problem.sequence(batch).keys) {}

  bool operator()(index query) const;

 private:
  VisibleTiles visible_;
  ScoreRow scores_;
  index keys_;
};

}  // namespace attestone::inline backends
