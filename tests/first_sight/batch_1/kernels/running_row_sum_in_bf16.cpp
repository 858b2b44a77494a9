// SPDX-License-Identifier: Apache-2.0
// With more than four key tiles the streaming kernel keeps the running sum of weights in bf16, packed beside the
// output, and rounds it after every tile. tenstorrent/tt-metal issue 57095. Shows in bf16 with long keys, growing with
// their number: a common factor per row, and in log_sum_exp.
#include "../hosts/fused_backward.hpp"
#include "../hosts/tiled_forward.hpp"

class Fault : public TiledForward {
 protected:
  void add_tile(Row& row, const float* s, const uint8_t* seen, int64_t n, const float* v) const override {
    TiledForward::add_tile(row, s, seen, n, v);
    if (call->input == Format::bf16 && call->a.keys > 4 * kKeyTile) row.l = rounded(row.l, Format::bf16);
  }
};

KERNEL(Fault, FusedBackward)
