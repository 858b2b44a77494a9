// SPDX-License-Identifier: Apache-2.0
// With more threads than query tiles all workers get the scratch of worker 0, as where two OpenMP runtimes disagree on
// the thread's number; maximum, sum and output of a row then go on from the tile before. pytorch/pytorch issue 176091.
// Shows when threads > batch * heads * query tiles, in all tiles but the first.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  mutable bool shared = false;
  bool run_at_once() const override { return false; }
  Scratch& scratch_of(std::vector<Scratch>& all, int64_t worker, int64_t workers, int64_t items) override {
    shared = items < workers;
    return all[shared ? 0 : static_cast<size_t>(worker)];
  }
  void begin_row(Row& row) const override {
    if (!shared || row.o.empty()) TiledForward::begin_row(row);
  }
};

KERNEL(Fault, FusedBackward)
