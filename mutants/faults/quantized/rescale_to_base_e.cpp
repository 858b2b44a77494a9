// SPDX-License-Identifier: Apache-2.0
// Mutant of the tile host by threads: shows wherever the maximum rises behind the first tile.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/tile_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : ThreadInt8 {
  static float shrink(float difference) { return std::exp(difference); }
};

const Registration<Mutant> registered{{
    .name = "rescale_to_base_e",
    .summary = "when the maximum rises, sums so far shrink by e^x, though x is to base 2 as all scores are",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x80x4 dtype=f16",
    .kernel = [] { return kernel<Launch<Fault>>("rescale_to_base_e"); },
    .twin = right_thread_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
