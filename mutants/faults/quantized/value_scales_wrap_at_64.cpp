// SPDX-License-Identifier: Apache-2.0
// Mutant of the tile host by warps: shows with more than 64 channels.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/tile_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : WarpFp8 {
  static index value_scale_channel(index c) { return c % 64; }
};

const Registration<Mutant> registered{{
    .name = "value_scales_wrap_at_64",
    .summary = "channel c of V is multiplied by the scale of channel c mod 64, as if no head had more channels",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x2x80 dtype=f16",
    .kernel = [] { return kernel<Launch<Fault>>("value_scales_wrap_at_64"); },
    .twin = right_warp_fp8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
