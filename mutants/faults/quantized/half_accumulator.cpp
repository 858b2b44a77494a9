// SPDX-License-Identifier: Apache-2.0
// Mutant of the tile host by threads: shows with many keys whose values have one sign.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/tile_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : ThreadInt8 {
  static float accumulate(float sum, float p, float v) { return narrow(static_cast<double>(sum + p * v), f16); }
};

const Registration<Mutant> registered{{
    .name = "half_accumulator",
    .summary = "P V is added up in f16 from the first key to the last, where f32 is declared",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x200x8 dtype=f16 fill=uniform",
    .kernel = [] { return kernel<Launch<Fault>>("half_accumulator"); },
    .twin = right_thread_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
