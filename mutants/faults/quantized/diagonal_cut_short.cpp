// SPDX-License-Identifier: Apache-2.0
// Mutant of the tile host by threads: shows under causal masks from the 65th query on.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/tile_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : ThreadInt8 {
  static index key_tiles(const attestone_args& a, index begin) {
    return ceil_div(causal(a) ? std::min(a.keys, begin + block_k) : a.keys, block_k);
  }
};

const Registration<Mutant> registered{{
    .name = "diagonal_cut_short",
    .summary = "the causal loop ends where a block of 64 queries would end, though a block has 128: its second half "
               "misses the tile of the diagonal",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x100x100x2 mask=causal dtype=f16",
    .kernel = [] { return kernel<Launch<Fault>>("diagonal_cut_short"); },
    .twin = right_thread_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
