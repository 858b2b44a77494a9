// SPDX-License-Identifier: Apache-2.0
// The decode kernel: few queries against many keys, at the speed at which memory can be read.
#pragma once

#include "backends/cpu/attend/tiled_kernel.hpp"
#include "backends/cpu/decode/row_tile.hpp"

namespace attestone::inline backends {

/// "Flash-Decoding for long-context inference" (T. Dao, D. Haziza, F. Massa, G. Sizov, 2023), with the query heads of a
/// kv head side by side, so that K and V are read once for all of them. Channels are lanes: a query costs what it
/// costs, while a panel of `flash` always computes 32. It is exact for many queries as well, and slow.
///
/// Parts are merged by rescaled sums, one after another. The sink is of the first part.
class Decode final : public MergingKernel {
 public:
  explicit Decode(const Settings&);

  Numerics numerics(const Problem&) const override;
  /// workers * RowScratch::bytes + batch * kv_heads * ceil(queries * group / rows) * parts * RowState::bytes, with the
  /// workers of flash for so many jobs.
  index forward_bytes(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;

 private:
  RowExtents extents(const Problem&) const;
  index states(const Problem&) const override;
  AttendBlocks backward_blocks() const override;
};

}  // namespace attestone::inline backends
