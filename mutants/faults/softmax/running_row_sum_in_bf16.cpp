// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows in bf16 with long keys, growing with their number: a common factor per row, and in
// log_sum_exp.
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
  void add_tile(Row& row, const float* s, const uint8_t* seen, int64_t n, const float* v) const override {
    TiledForward::add_tile(row, s, seen, n, v);
    if (call->input == Format::bf16 && call->a.keys > 4 * kKeyTile) row.l = rounded(row.l, Format::bf16);
  }
};

const Registration<Mutant> registered{{
    .name = "running_row_sum_in_bf16",
    .summary = "with more than four key tiles the streaming kernel keeps the running sum of weights in bf16, packed "
               "beside the output, and rounds it after every tile",
    .source = "tenstorrent/tt-metal #57095",
    .property = "value_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x4x4096x64 dtype=bf16",
    .kernel = [] { return kernel<Fault, FusedBackward>("running_row_sum_in_bf16"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
