// SPDX-License-Identifier: Apache-2.0
// The decode kernel: few queries against many keys, at the speed at which memory can be read.
#pragma once

#include "backends/catalogue.hpp"
#include "backends/cpu/attend/backward_passes.hpp"
#include "backends/cpu/decode/row_tile.hpp"

namespace attestone {

/// How many parts there are of so many keys: at least one. It depends on nothing but these.
constexpr index parts_of(index keys, index part_keys) { return std::max<index>(tiles_of(keys, part_keys), 1); }

/// How many tiles hold the rows of a group.
constexpr index row_tiles_of(const Shape& shape, index rows) {
  return tiles_of(shape.queries * (shape.heads / shape.kv_heads), rows);
}

/// "Flash-Decoding for long-context inference" (T. Dao, D. Haziza, F. Massa, G. Sizov, 2023), with the query heads of a
/// kv head side by side, so that K and V are read once for all of them. Channels are lanes: a query costs what it
/// costs, while a panel of `flash` always computes 32. It is exact for many queries as well, and slow.
///
/// Parts are merged by rescaled sums, one after another. The sink is of the first part. The backward pass has nothing
/// to merge: it is that of flash.
class Decode final : public Kernel {
 public:
  explicit Decode(const Settings&);

  std::string name() const override;
  Support supports(const Problem&) const override;
  bool wants_mask_bytes(const Problem&) const override;
  Numerics numerics(const Problem&) const override;
  /// workers * RowScratch::bytes + batch * kv_heads * ceil(queries * group / rows) * parts * RowState::bytes, with the
  /// workers of flash for so many jobs.
  index forward_bytes(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;
  bool computes_gradients() const override { return true; }
  index backward_bytes(const Problem&) const override;
  void backward(const Problem&, const BackwardArguments&, Device&) const override;

 private:
  RowExtents extents(const Problem&) const;
  index states(const Problem&) const;
  index workers(const Problem&) const;
  KeyPass backward_pass(const Problem&) const;

  Settings settings_;
};

}  // namespace attestone
