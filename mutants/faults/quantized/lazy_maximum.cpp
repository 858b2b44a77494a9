// SPDX-License-Identifier: Apache-2.0
// Mutant of the tile host by warps: shows where the maximum rises by less than a factor of 2^8 behind the first
// tile.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/tile_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : WarpFp8 {
  static float raised(float before, float tile) { return tile > before + 8 ? tile : before; }
};

const Registration<Mutant> registered{{
    .name = "lazy_maximum",
    .summary = "sums are rescaled only when the maximum has risen by more than 2^8, as for P in 16 bits: e4m3 weights "
               "saturate at 448, and the denominator sums them as they are",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x200x64 scale=0.25 dtype=f16",
    .kernel = [] { return kernel<Launch<Fault>>("lazy_maximum"); },
    .twin = right_warp_fp8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
