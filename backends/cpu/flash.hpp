// SPDX-License-Identifier: Apache-2.0
// FlashAttention-2 on the CPU: exact attention in tiles, without ever holding the score matrix.
#pragma once

#include "backends/catalogue.hpp"
#include "backends/cpu/flash_tiles.hpp"

namespace attestone {

/// The forward pass of T. Dao, "FlashAttention-2" (arXiv 2307.08691), Algorithm 1, for f32, f16 and bf16.
///
/// A tile of block_q queries stays while K and V pass by in tiles of block_kv keys, which are worked on in steps of
/// block_kv_compute keys. Everything is f32, but the weights P, which are rounded to the input format, and the output.
/// One thread works on one tile of queries at a time; the result does not depend on how many threads there are.
class Flash {
 public:
  explicit Flash(const Settings&);

  std::string name() const;
  Support supports(const Problem&) const;
  Numerics numerics(const Problem&) const;
  /// workers * FlashTiles::bytes(): one scratch each. workers = min(OpenMP's threads, batch * heads * tiles of queries,
  /// 1 + rows * keys * (dim + value_dim) / 2^18).
  index workspace_bytes(const Problem&) const;
  void run(const Problem&, Arguments&) const;

 private:
  index workers(const Problem&) const;

  Settings settings_;
  FlashBlocks blocks_;
};

}  // namespace attestone
