// SPDX-License-Identifier: Apache-2.0
// Mutant of the fragments host: shows with more than 32768 keys.
#include "mutants/hosts/fourth_batch/fragments.hpp"
#include "mutants/hosts/fourth_batch/kernel.hpp"
#include "mutants/hosts/fourth_batch/right.hpp"
#include "mutants/hosts/fourth_batch/stored.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fourth_batch {
namespace {

struct Fault : Fragments {
  using Fragments::Fragments;

  Int first_key(Int tile, int width) const override { return static_cast<std::int16_t>(tile * width); }
};

const Registration<Mutant> registered{{
    .name = "key_tile_start_in_sixteen_bits",
    .summary = "the first key of a tile is a 16-bit number: from key 32768 on it is negative, and zeros are "
               "taken for keys",
    .source = "facebookresearch/xformers #719",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x33000x8 mask=window:100:0",
    .kernel = [] { return kernel<Fault, Stored>("key_tile_start_in_sixteen_bits"); },
    .twin = right_fragments_stored,
}};

}  // namespace
}  // namespace attestone::inline mutants::fourth_batch
