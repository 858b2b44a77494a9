// SPDX-License-Identifier: Apache-2.0
// Tiles of V, scales and work items that belong to another stage, format or call.
#include "mutants/hosts/pipelines/fused_backward.hpp"
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/persistent.hpp"
#include "mutants/hosts/pipelines/pipelined.hpp"
#include "mutants/hosts/pipelines/right.hpp"
#include "mutants/hosts/pipelines/two_pass_backward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {
namespace {

/// Shows from the second call of a process on, with more than one thread: the first items are not answered.
struct CounterRewoundByOneWorker : PersistentPolicy {
  static Index rewound(Index items, Index workers) { return (items + workers) - (items + 1); }
};

/// Shows with 3, 5, ... tiles of 64 keys; one tile and even numbers are right.
struct LastValueTileFromOtherStage : PipelinedPolicy {
  static Index value_stage(Index n, Index tiles) {
    return tiles % 2 == 1 && tiles > 1 && n == tiles - 1 ? 1 - n % 2 : n % 2;
  }
};

/// Shows in bf16 and f16 where 1/sqrt(dim), or the given scale, is not exact there; dims 16, 64 and 256 are. An
/// error of every score by one factor: seen best in log_sum_exp and with large scores.
struct ScaleHeldInInputFormat : PipelinedPolicy {
  static float scale(const Problem& p) { return rounded_to(p.query.format, Rules::scale(p)); }
};

/// The pipelined host with a fault.
template <class Fault>
SharedKernel pipelined(const char* name) {
  return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>(name);
}

const Registrations<Mutant> registered{
    {.name = "counter_rewound_by_one_worker",
     .summary = "the work counter outlives the call; at its end it is set back by the items and by one, as if one "
                "worker had overshot it; every worker has",
     .source = "vllm-project/vllm-xpu-kernels PR #457",
     .property = "repeats_bitwise",
     .reason = "not-repeatable",
     .problem = "shape=1x2x200x32x16",
     .batch = "third",
     .kernel =
         [] {
           return kernel<Persistent<CounterRewoundByOneWorker>, TwoPassBackward<TwoPassPolicy>>(
               "counter_rewound_by_one_worker");
         },
     .twin = right_persistent_two_pass},
    {.name = "last_value_tile_from_other_stage",
     .summary = "the phase of the ring of V is not flipped for the drain behind an odd number of tiles: the last "
                "product takes V of the tile before",
     .source = "tile-ai/tilelang #2668, tile-ai/tilelang-ascend #949",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x16x150x16",
     .batch = "third",
     .kernel = [] { return pipelined<LastValueTileFromOtherStage>("last_value_tile_from_other_stage"); },
     .twin = right_pipelined_fused},
    {.name = "scale_held_in_input_format",
     .summary = "the scale is a scalar of the inputs' format",
     .source = "openxla/tokamax PR #1306",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x2x16x64x128 dtype=bf16",
     .batch = "third",
     .kernel = [] { return pipelined<ScaleHeldInInputFormat>("scale_held_in_input_format"); },
     .twin = right_pipelined_fused},
};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
