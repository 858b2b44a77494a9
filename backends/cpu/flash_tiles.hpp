// SPDX-License-Identifier: Apache-2.0
// The tiles of the flash kernel and the scratch memory that one worker keeps them in.
#pragma once

#include <algorithm>

#include "backends/cpu/online_softmax.hpp"
#include "backends/cpu/row_times_matrix.hpp"
#include "backends/workspace.hpp"

namespace attestone {

/// The settings: queries that stay, keys that are loaded, keys per step of the softmax.
struct FlashBlocks {
  index queries, keys, compute;
};

/// How large the tiles of one problem are: never larger than the problem.
struct FlashTiles {
  FlashTiles(const FlashBlocks& blocks, const Shape& shape)
      : queries(std::min(blocks.queries, shape.queries)),
        keys(std::min(blocks.keys, shape.keys)),
        compute(std::min(blocks.compute, shape.keys)),
        dim(shape.dim),
        value_dim(shape.value_dim) {}

  index queries, keys, compute, dim, value_dim;

  index query_tiles(index all) const { return queries > 0 ? (all + queries - 1) / queries : 0; }
  index steps() const { return compute > 0 ? (keys + compute - 1) / compute : 0; }
  /// One step of K, transposed.
  index transposed_floats() const { return dim * padded_width(compute); }
  /// Q, one row of K, K transposed by steps, V, one row of S, O.
  index floats() const {
    return queries * dim + dim + steps() * transposed_floats() + keys * padded_width(value_dim) +
           padded_width(compute) + queries * padded_width(value_dim);
  }
  index bytes() const {
    return floats() * static_cast<index>(sizeof(float)) + queries * static_cast<index>(sizeof(OnlineSoftmax));
  }
};

/// One worker's scratch memory, borrowed until it is destroyed.
class FlashScratch {
 public:
  FlashScratch(Workspace& workspace, const FlashTiles& tiles)
      : floats_(workspace, tiles.floats()),
        states_(workspace, tiles.queries),
        Q(floats_.data()),
        row(Q + tiles.queries * tiles.dim),
        KT(row + tiles.dim),
        V(KT + tiles.steps() * tiles.transposed_floats()),
        S(V + tiles.keys * padded_width(tiles.value_dim)),
        O(S + padded_width(tiles.compute)),
        softmax(states_.data()) {}

 private:
  Workspace::Loan<float> floats_;
  Workspace::Loan<OnlineSoftmax> states_;

 public:
  float* Q;                ///< [queries][dim]
  float* row;              ///< [dim]: a row of K before it is transposed
  float* KT;               ///< [steps][dim][padded compute]
  float* V;                ///< [keys][padded value_dim]
  float* S;                ///< [padded compute]: one row of scores, then of weights
  float* O;                ///< [queries][padded value_dim], not yet divided by l
  OnlineSoftmax* softmax;  ///< [queries]: m and l
};

}  // namespace attestone
