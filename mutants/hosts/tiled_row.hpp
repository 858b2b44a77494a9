// SPDX-License-Identifier: Apache-2.0
// One row of a tiled kernel: its state while tiles of keys go by.
#pragma once

#include <limits>

#include "backends/cpu/parts/interval.hpp"
#include "backends/cpu/parts/tile_mask.hpp"
#include "backends/kernel.hpp"
#include "mutants/hosts/tiled.hpp"

namespace attestone::inline mutants {

/// The scratch memory of one row.
struct TiledScratch {
  TiledScratch(Device&, const Shape&);
  /// 4 bytes * (dim for q, 16 * dim for a tile of K, 16 * value_dim for one of V, 16 scores, value_dim for O).
  static index bytes(const Shape& shape);

  Allocation<float> q, K, V, S, O;  ///< [dim], [16][dim], [16][value_dim], [16], [value_dim]
};

/// A row, and the steps by which it is worked out.
struct TiledRow {
  const Problem& problem;
  const Arguments& arguments;
  const TiledSteps& steps;
  index batch, head, query;
  Sequence sequence;
  const TileMask& mask;
  TiledScratch& scratch;
  float m = -std::numeric_limits<float>::infinity(), l = 0;
  float largest_logit = -std::numeric_limits<float>::infinity();  ///< a sink is none

  /// Begins anew, and takes in these keys tile by tile.
  void attend(Interval keys);
  /// The sink takes mass like a key, and has no value.
  void take_in_sink(index times);
  /// Writes the answers of this row.
  void store() const;

 private:
  void load(index first, index keys) const;
  double bias(const Pair& at) const;
  std::optional<float> cap() const;
  float scale() const;
  float product(index j) const;
  float score(index j, index key) const;
  void raise_largest(index first, index keys);
  void take_in(index first, index keys);
  void raise(float m_next);
};

/// The problems that a kernel made of such rows takes: masks that are bands of diagonals, in the formats of the CPU
/// kernels.
Support tiled_limits(const Problem&);

/// The arithmetic of the faultless steps, whatever the order of the tiles: all in float.
Numerics tiled_numerics(const Problem&);

}  // namespace attestone::inline mutants
