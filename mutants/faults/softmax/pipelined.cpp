// SPDX-License-Identifier: Apache-2.0
// Tiles of small weights that are skipped although nobody asked for it.
#include "mutants/hosts/pipelines/pipelined.hpp"

#include "mutants/hosts/pipelines/fused_backward.hpp"
#include "mutants/hosts/pipelines/kernel.hpp"
#include "mutants/hosts/pipelines/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::pipelines {
namespace {

/// Shows in bf16 and f16 with more than 64 keys whose weights decay (wide scores, ALiBi, sinks), and more where the
/// tail's V is large.
struct LightTilesSkippedByDefault : PipelinedPolicy {
  static bool wanted(const Problem& p, float below) { return p.query.format == Format::f32 || !(below > 9.0f); }
};

const Registrations<Mutant> registered{
    {.name = "light_tiles_skipped_by_default",
     .summary =
         "skip-softmax is on by default: tiles of keys whose maximum lies 9 below that of the row so far take no part",
     .source = "NVIDIA/TensorRT-LLM PR #17781, flashinfer-ai/flashinfer PR #4859",
     .property = "keys_twice",
     .reason = "keys-twice",
     .problem = "shape=1x2x16x512x64 dtype=bf16 fill=wide",
     .batch = "third",
     .kernel =
         [] {
           return kernel<Pipelined<LightTilesSkippedByDefault>, FusedBackward<FusedBackwardPolicy>>(
               "light_tiles_skipped_by_default");
         },
     .twin = right_pipelined_fused},
};

}  // namespace
}  // namespace attestone::inline mutants::pipelines
