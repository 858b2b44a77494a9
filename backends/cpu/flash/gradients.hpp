// SPDX-License-Identifier: Apache-2.0
// The body of the flash kernel's backward passes: one tile of queries with one tile of keys.
#pragma once

#include "backends/cpu/flash/backward_scratch.hpp"
#include "backends/cpu/parts/gradient_row.hpp"
#include "backends/cpu/parts/query_tile.hpp"

namespace attestone {

/// T. Dao, "FlashAttention-2" (arXiv 2307.08691), Algorithm 2, lines 10 to 16, over the tiles that a worker has loaded.
/// P and dS are computed anew, in the input format; sums are f32.
class FlashGradients {
 public:
  FlashGradients(const Problem&, const BackwardArguments&, const FlashTiles&);

  /// Q, dO, L and delta of some queries of the tile; dQ = 0.
  void load_queries(const QueryTile&, Interval queries, FlashBackwardScratch&) const;
  /// K, twice, and V of some keys; dK = dV = 0.
  void load_keys(const HeadGroup&, Interval keys, FlashBackwardScratch&) const;

  /// dQ += dS K. Hidden pairs add nothing, whatever K holds.
  void add_to_dquery(const QueryTile&, Interval queries, Interval keys, FlashBackwardScratch&) const;
  /// dV += P^T dO, dK += dS^T Q, and the gradient of the bias; dQ += dS K if that is asked for.
  void add_to_dkey_dvalue(const QueryTile&, Interval queries, Interval keys, bool with_dquery, BiasGradient&,
                          FlashBackwardScratch&) const;

  /// dQ, dK and dV as they are stored: what scale and dropout multiply is multiplied here.
  double dquery_factor() const { return problem_.scale(); }
  double dkey_factor() const { return problem_.scale(); }
  double dvalue_factor() const { return rows_.kept_factor(); }

 private:
  /// One step of keys, its first being the offset-th of those that are loaded.
  struct Step {
    Interval keys;
    index offset;
  };
  void differentiate(const QueryTile&, index i, const Step&, BiasGradient*, FlashBackwardScratch&) const;
  void add_row_to_dquery(index i, const Step&, FlashBackwardScratch&) const;
  void transpose_row(index i, const Step&, FlashBackwardScratch&) const;
  void add_columns(index rows, const Step&, FlashBackwardScratch&) const;
  template <class Visit>
  void for_each_step(const QueryTile&, Interval queries, Interval keys, Visit visit) const;

  const Problem& problem_;
  FlashTiles tiles_;
  GradientRow rows_;
  FloatRows query_, key_, value_, out_, dout_, log_sum_exp_;
  index query_bytes_, key_bytes_;  ///< of all that is read of one query, of one key
};

}  // namespace attestone
