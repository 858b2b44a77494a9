// SPDX-License-Identifier: Apache-2.0
// Mutant of the tile host by warps: shows with more than 64 keys.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/tile_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : WarpFp8 {
  static index scale_tile(index t) { return t == 0 ? 0 : t - 1; }
};

const Registration<Mutant> registered{{
    .name = "scale_of_previous_tile",
    .summary = "the scale of K is fetched one tile ahead and used one tile late: tile t is dequantised by the scale "
               "of tile t - 1",
    .property = "codes_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x2x80x52 dtype=f16",
    .kernel = [] { return kernel<Launch<Fault>>("scale_of_previous_tile"); },
    .twin = right_warp_fp8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
