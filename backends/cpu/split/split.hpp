// SPDX-License-Identifier: Apache-2.0
// The split kernel: parts of the keys are attended side by side and then merged, as decoding does where queries are
// few.
#pragma once

#include "backends/catalogue.hpp"
#include "backends/cpu/attend/attend.hpp"
#include "backends/cpu/attend/backward_passes.hpp"
#include "reference/numerics/merge_stage.hpp"

namespace attestone {

/// "Flash-Decoding for long-context inference" (T. Dao, D. Haziza, F. Massa, G. Sizov, 2023), with any of the four
/// forms of merges of docs/tolerance.md. Each part holds equally many neighbouring keys, but for the last ones, which
/// may hold fewer, or none. The sink is of the first part. The backward pass has nothing to merge: it is that of flash.
class Split final : public Kernel {
 public:
  explicit Split(const Settings&);

  std::string name() const override;
  Support supports(const Problem&) const override;
  bool wants_mask_bytes(const Problem&) const override;
  Numerics numerics(const Problem&) const override;
  /// workers * AttendScratch::bytes + batch * heads * ceil(queries / block_q) * splits * AttendState::bytes, with the
  /// workers of flash for so many jobs.
  index forward_bytes(const Problem&) const override;
  void forward(const Problem&, const Arguments&, Device&) const override;
  bool computes_gradients() const override { return true; }
  index backward_bytes(const Problem&) const override;
  void backward(const Problem&, const BackwardArguments&, Device&) const override;

 private:
  AttendExtents extents(const Problem&) const;
  index states(const Problem&) const;
  index workers(const Problem&) const;
  KeyPass backward_pass(const Problem&) const;

  Settings settings_;
  MergeForm form_;
  index splits_;
};

}  // namespace attestone
