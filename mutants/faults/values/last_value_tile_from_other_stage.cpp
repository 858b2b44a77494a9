// SPDX-License-Identifier: Apache-2.0
// Mutant of the pipelined host: shows with 3, 5, ... tiles of 64 keys; one tile and even numbers are right.
#include "mutants/hosts/third_batch/fused_backward.hpp"
#include "mutants/hosts/third_batch/kernel.hpp"
#include "mutants/hosts/third_batch/pipelined.hpp"
#include "mutants/hosts/third_batch/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::third_batch {
namespace {

struct Fault : PipelinedPolicy {
  static Index value_stage(Index n, Index tiles) {
    return tiles % 2 == 1 && tiles > 1 && n == tiles - 1 ? 1 - n % 2 : n % 2;
  }
};

const Registration<Mutant> registered{{
    .name = "last_value_tile_from_other_stage",
    .summary = "the phase of the ring of V is not flipped for the drain behind an odd number of tiles: the last "
               "product takes V of the tile before",
    .source = "tile-ai/tilelang #2668, tile-ai/tilelang-ascend #949",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x16x150x16",
    .kernel =
        [] { return kernel<Pipelined<Fault>, FusedBackward<FusedBackwardPolicy>>("last_value_tile_from_other_stage"); },
    .twin = right_pipelined_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::third_batch
