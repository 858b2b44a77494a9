// SPDX-License-Identifier: Apache-2.0
// The tiles of the flash kernel and the scratch memory that one worker keeps them in.
#pragma once

#include <algorithm>

#include "backends/cpu/flash/blocks.hpp"
#include "backends/cpu/parts/online_softmax.hpp"
#include "backends/cpu/parts/row_times_matrix.hpp"
#include "backends/device.hpp"
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
  FlashScratch(Device& device, const FlashTiles& tiles)
      : Q(device, tiles.queries * tiles.dim, "queries"),
        row(device, tiles.dim, "row of keys"),
        KT(device, tiles.steps() * tiles.dim * tiles.key_width(), "keys, transposed"),
        V(device, tiles.keys * tiles.value_width(), "values"),
        S(device, tiles.key_width(), "row of scores"),
        biases(device, tiles.biased_keys, "row of biases"),
        O(device, tiles.queries * tiles.value_width(), "output"),
        softmax(device, tiles.queries, "softmax") {}

  /// The bytes of all of them together.
  static index bytes(const FlashTiles& tiles) {
    const index floats = tiles.queries * tiles.dim + tiles.dim + tiles.steps() * tiles.dim * tiles.key_width() +
                         tiles.keys * tiles.value_width() + tiles.key_width() + tiles.biased_keys +
                         tiles.queries * tiles.value_width();
    return floats * static_cast<index>(sizeof(float)) + tiles.queries * static_cast<index>(sizeof(OnlineSoftmax));
  }

  Allocation<float> Q;                ///< [queries][dim]
  Allocation<float> row;              ///< [dim]: a row of K before it is transposed
  Allocation<float> KT;               ///< [steps][dim][key_width]
  Allocation<float> V;                ///< [keys][value_width]
  Allocation<float> S;                ///< [key_width]: one row of scores, then of weights
  Allocation<float> biases;           ///< [biased_keys]: of that row
  Allocation<float> O;                ///< [queries][value_width], not yet divided by l
  Allocation<OnlineSoftmax> softmax;  ///< [queries]: m and l
  Work work;                          ///< what was done here and is not yet reported
};

}  // namespace attestone
