// SPDX-License-Identifier: Apache-2.0
// The body of the flash kernel: one tile of queries against all tiles of keys.
#pragma once

#include "backends/cpu/flash/tiles.hpp"
#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/dropped_pairs.hpp"
#include "backends/cpu/parts/head_sink.hpp"
#include "backends/cpu/parts/query_tile.hpp"

namespace attestone {

/// The keys of one step of the softmax, as they lie in the scratch memory.
struct KeyStep {
  Interval keys;
  const float *KT, *V;  ///< [dim][key_width], [keys][value_width]
};

/// T. Dao, "FlashAttention-2" (arXiv 2307.08691), Algorithm 1, for one tile of queries at a time.
class FlashForward {
 public:
  FlashForward(const Problem&, const Arguments&, const FlashTiles&);

  /// Computes and stores the rows of the tile.
  void run(const QueryTile&, FlashScratch&) const;

 private:
  void load_queries(const QueryTile&, Interval queries, const HeadSink&, FlashScratch&) const;
  void load_keys(const QueryTile&, Interval keys, FlashScratch&) const;
  void attend(const QueryTile&, index query, const KeyStep&, FlashScratch&) const;
  void store(const QueryTile&, const HeadSink&, FlashScratch&) const;

  const Problem& problem_;
  const Arguments& arguments_;
  FlashTiles tiles_;
  DroppedPairs dropped_;
  FloatRows query_, key_, value_;
};

}  // namespace attestone
