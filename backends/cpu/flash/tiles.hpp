// SPDX-License-Identifier: Apache-2.0
// The tiles of the flash kernel and the scratch memory that one worker keeps them in.
#pragma once

#include <algorithm>

#include "backends/cpu/flash/blocks.hpp"
#include "backends/cpu/parts/online_softmax.hpp"
#include "backends/cpu/parts/row_times_matrix.hpp"
#include "backends/workspace.hpp"
#include "reference/problem.hpp"

namespace attestone {

/// How large the tiles of one problem are: never larger than the problem.
struct FlashTiles {
  FlashTiles(const FlashBlocks& blocks, const Problem& problem)
      : queries(std::min(blocks.queries, problem.shape.queries)),
        keys(std::min(blocks.keys, problem.shape.keys)),
        compute(std::min(blocks.compute, problem.shape.keys)),
        dim(problem.shape.dim),
        value_dim(problem.shape.value_dim),
        biased_keys(problem.score.bias_tensor() ? compute : 0) {}

  index queries, keys, compute, dim, value_dim;
  index biased_keys;  ///< 0 without a bias tensor

  index query_tiles(index all) const { return queries > 0 ? (all + queries - 1) / queries : 0; }
  index steps() const { return compute > 0 ? (keys + compute - 1) / compute : 0; }
  index key_width() const { return padded_width(compute); }
  index dim_width() const { return padded_width(dim); }
  index value_width() const { return padded_width(value_dim); }
};

/// One worker's scratch memory, borrowed for one run.
struct FlashScratch {
  FlashScratch(Workspace& workspace, const FlashTiles& tiles)
      : Q(workspace, tiles.queries * tiles.dim),
        row(workspace, tiles.dim),
        KT(workspace, tiles.steps() * tiles.dim * tiles.key_width()),
        V(workspace, tiles.keys * tiles.value_width()),
        S(workspace, tiles.key_width()),
        biases(workspace, tiles.biased_keys),
        O(workspace, tiles.queries * tiles.value_width()),
        softmax(workspace, tiles.queries) {}

  /// The bytes of all of them together.
  static index bytes(const FlashTiles& tiles) {
    const index floats = tiles.queries * tiles.dim + tiles.dim + tiles.steps() * tiles.dim * tiles.key_width() +
                         tiles.keys * tiles.value_width() + tiles.key_width() + tiles.biased_keys +
                         tiles.queries * tiles.value_width();
    return floats * static_cast<index>(sizeof(float)) + tiles.queries * static_cast<index>(sizeof(OnlineSoftmax));
  }

  Workspace::Loan<float> Q;                ///< [queries][dim]
  Workspace::Loan<float> row;              ///< [dim]: a row of K before it is transposed
  Workspace::Loan<float> KT;               ///< [steps][dim][key_width]
  Workspace::Loan<float> V;                ///< [keys][value_width]
  Workspace::Loan<float> S;                ///< [key_width]: one row of scores, then of weights
  Workspace::Loan<float> biases;           ///< [biased_keys]: of that row
  Workspace::Loan<float> O;                ///< [queries][value_width], not yet divided by l
  Workspace::Loan<OnlineSoftmax> softmax;  ///< [queries]: m and l
};

}  // namespace attestone
