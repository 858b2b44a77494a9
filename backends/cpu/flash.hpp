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
  /// workers * (4 * (bq dim + dim + s dim pad(bc) + bk pad(value_dim) + pad(bc) + bq pad(value_dim)) + 8 bq) bytes for
  /// Q, a row of K, K transposed, V, a row of S, O, and (m, l); with bq, bk, bc the blocks, none larger than the
  /// problem, s = ceil(bk / bc), pad(x) = x rounded up to a multiple of 32, and workers = min(OpenMP's threads,
  /// batch * heads * ceil(queries / bq), 1 + floor(batch * heads * queries * keys * (dim + value_dim) / 2^18)).
  index workspace_bytes(const Problem&) const;
  void run(const Problem&, Arguments&) const;

 private:
  index workers(const Problem&) const;

  Settings settings_;
  FlashBlocks blocks_;
};

}  // namespace attestone
