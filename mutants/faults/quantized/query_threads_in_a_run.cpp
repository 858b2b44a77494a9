// SPDX-License-Identifier: Apache-2.0
// Mutant of the tile host by threads: shows with more than one query.
#include "mutants/hosts/sixth_batch/kernel.hpp"
#include "mutants/hosts/sixth_batch/right.hpp"
#include "mutants/hosts/sixth_batch/tile_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::sixth_batch {
namespace {

struct Fault : ThreadInt8 {
  struct QueryGroups {
    static constexpr int per_warp = 8;
    static int group(int r) { return r / 4; }
  };
};

const Registration<Mutant> registered{{
    .name = "query_threads_in_a_run",
    .summary = "thread t of a warp has rows 4 t to 4 t + 3 of the query, where 8 i + t are declared",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x8x6x4 dtype=f16",
    .kernel = [] { return kernel<Launch<Fault>>("query_threads_in_a_run"); },
    .twin = right_thread_int8,
}};

}  // namespace
}  // namespace attestone::inline mutants::sixth_batch
