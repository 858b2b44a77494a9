// SPDX-License-Identifier: Apache-2.0
// A tile of queries of the flash kernel.
#pragma once

#include "backends/cpu/parts/score_row.hpp"
#include "backends/cpu/parts/visible_tiles.hpp"

namespace attestone {

/// A tile of queries of one head, and what holds for that head.
struct QueryTile {
  QueryTile(const Problem& problem, const KernelInputs& inputs, index in_batch, index in_head, index first)
      : batch(in_batch),
        head(in_head),
        first_query(first),
        sequence(problem.sequence(batch)),
        visible(problem, inputs, batch, head),
        scores(problem, inputs, batch, head, ScoreRow::Base::two) {}

  index batch, head, first_query;
  Sequence sequence;  ///< the real lengths
  VisibleTiles visible;
  ScoreRow scores;
};

}  // namespace attestone
