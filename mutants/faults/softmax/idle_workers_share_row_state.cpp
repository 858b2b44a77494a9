// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows when threads > batch * heads * query tiles, in all tiles but the first.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

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

const Registration<Mutant> registered{{
    .name = "idle_workers_share_row_state",
    .summary =
        "with more threads than query tiles all workers get the scratch of worker 0, as where two OpenMP runtimes "
        "disagree on the thread's number; maximum, sum and output of a row then go on from the tile before",
    .source = "pytorch/pytorch #176091",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x64x32x16",
    .kernel = [] { return kernel<Fault, FusedBackward>("idle_workers_share_row_state"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
