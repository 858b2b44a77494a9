// SPDX-License-Identifier: Apache-2.0
// Row states that are shared, rounded, half rescaled or written to another row.
#include "mutants/hosts/one_sweep/fused_backward.hpp"
#include "mutants/hosts/one_sweep/kernel.hpp"
#include "mutants/hosts/one_sweep/right.hpp"
#include "mutants/hosts/one_sweep/split_forward.hpp"
#include "mutants/hosts/one_sweep/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::one_sweep {
namespace {

/// Shows when threads > batch * heads * query tiles, in all tiles but the first.
class IdleWorkersShareRowState : public TiledForward {
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

/// Shows in log_sum_exp alone, with grouped heads and 2 to 16 queries.
class PackedRowsScatterLogSumExpTransposed : public SplitForward {
 protected:
  void write_log_sum_exp(const Unit& u, int64_t i, const PackedRow& packed, float x) const override {
    if (!decoding()) return SplitForward::write_log_sum_exp(u, i, packed, x);
    const int64_t head = u.kv_head * packed.group + packed.index / u.queries;
    call->log_sum_exp.set(x, u.b, head, packed.index % u.queries);
  }
};

/// Shows with value_dim > dim and more than one key tile (or a sink), in the channels behind dim.
class RescaleCoversOnlyDimChannels : public TiledForward {
 protected:
  void rescale(Row& row, float alpha) const override {
    row.l *= alpha;
    for (int64_t d = 0; d < std::min(call->a.dim, call->a.value_dim); ++d) row.o[static_cast<size_t>(d)] *= alpha;
  }
};

/// Shows in bf16 with long keys, growing with their number: a common factor per row, and in log_sum_exp.
class RunningRowSumInBf16 : public TiledForward {
 protected:
  void add_tile(Row& row, const float* s, const uint8_t* seen, int64_t n, const float* v) const override {
    TiledForward::add_tile(row, s, seen, n, v);
    if (call->input == Format::bf16 && call->a.keys > 4 * kKeyTile) row.l = rounded(row.l, Format::bf16);
  }
};

const Registrations<Mutant> registered{
    {.name = "idle_workers_share_row_state",
     .summary =
         "with more threads than query tiles all workers get the scratch of worker 0, as where two OpenMP runtimes "
         "disagree on the thread's number; maximum, sum and output of a row then go on from the tile before",
     .source = "pytorch/pytorch #176091",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x64x32x16",
     .batch = "first",
     .kernel = [] { return kernel<IdleWorkersShareRowState, FusedBackward>("idle_workers_share_row_state"); },
     .twin = right_tiled},
    {.name = "packed_rows_scatter_log_sum_exp_transposed",
     .summary = "decoding packs rows as (query, head of the group); log_sum_exp is written as if they were packed as "
                "(head, query)",
     .source = "vllm-project/vllm-xpu-kernels PR #479",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x8/2x3x64x16",
     .batch = "first",
     .kernel =
         [] {
           return kernel<PackedRowsScatterLogSumExpTransposed, FusedBackward>(
               "packed_rows_scatter_log_sum_exp_transposed");
         },
     .twin = right_split},
    {.name = "rescale_covers_only_dim_channels",
     .summary = "when the maximum rises, the output so far is rescaled over dim channels instead of value_dim: the "
                "v-space extent is taken from the q/k head",
     .source = "XunhaoLai/native-sparse-attention-triton #27",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x16x200x32:64",
     .batch = "first",
     .kernel = [] { return kernel<RescaleCoversOnlyDimChannels, FusedBackward>("rescale_covers_only_dim_channels"); },
     .twin = right_tiled},
    {.name = "running_row_sum_in_bf16",
     .summary = "with more than four key tiles the streaming kernel keeps the running sum of weights in bf16, packed "
                "beside the output, and rounds it after every tile",
     .source = "tenstorrent/tt-metal #57095",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x4x4096x64 dtype=bf16",
     .batch = "first",
     .kernel = [] { return kernel<RunningRowSumInBf16, FusedBackward>("running_row_sum_in_bf16"); },
     .twin = right_tiled},
};

}  // namespace
}  // namespace attestone::inline mutants::one_sweep
