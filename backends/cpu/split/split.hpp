// SPDX-License-Identifier: Apache-2.0
// The split kernel: parts of the keys are attended side by side and then merged, as decoding does where queries are
// few.
#pragma once

#include "backends/cpu/attend/attend.hpp"
#include "backends/cpu/attend/tiled_kernel.hpp"
#include "reference/numerics/merge_stage.hpp"

namespace attestone::inline backends {

/// "Flash-Decoding for long-context inference" (T. Dao, D. Haziza, F. Massa, G. Sizov, 2023), with any of the four
/// forms of merges of docs/tolerance.md. Each part holds equally many neighbouring keys, but for the last ones, which
/// may hold fewer, or none. The sink is of the first part.
class Split final : public MergingKernel {
 public:
  explicit Split(const Settings&);

  Numerics numerics(const Problem&) const override;
  /// workers * AttendScratch::bytes + batch * heads * ceil(queries / block_q) * splits * AttendState::bytes, with the
  /// workers of flash for so many jobs.
  index forward_bytes(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;

 private:
  AttendExtents extents(const Problem&) const;
  index states(const Problem&) const override;
  AttendBlocks backward_blocks() const override;

  MergeForm form_;
  index splits_;
};

}  // namespace attestone::inline backends
