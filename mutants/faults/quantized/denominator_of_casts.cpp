// SPDX-License-Identifier: Apache-2.0
// Mutant of the tile host by warps: shows everywhere.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/tile_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : WarpFp8 {
  static float denominator_share(float /*p*/, float cast) { return cast; }
};

const Registration<Mutant> registered{{
    .name = "denominator_of_casts",
    .summary = "the denominator sums P as it was cast to e4m3, where P before the cast is declared",
    .property = "codes_bound",
    .reason = "wrong-log-sum-exp",
    .problem = "shape=1x1x1x2x2 dtype=f16",
    .kernel = [] { return kernel<Launch<Fault>>("denominator_of_casts"); },
    .twin = right_warp_fp8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
