// SPDX-License-Identifier: Apache-2.0
// Mutant of the tile host by warps: shows where a partial tile follows a whole one.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/tile_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : WarpFp8 {
  static float behind_the_end(float before) { return before; }
};

const Registration<Mutant> registered{{
    .name = "tail_maximum_of_stale_rows",
    .summary = "a tile in shared memory is not cleared behind the last key, so the scale of the partial tile counts "
               "rows that the tile before it left there",
    .property = "codes_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x4x66x2 dtype=f16",
    .kernel = [] { return kernel<Launch<Fault>>("tail_maximum_of_stale_rows"); },
    .twin = right_warp_fp8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
