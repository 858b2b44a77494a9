// SPDX-License-Identifier: Apache-2.0
// Mutant of the split-KV host: shows where a row sees nothing of a block that its tile visits, and then scores far
// below 0.
#include "mutants/hosts/fifth_batch/right.hpp"
#include "mutants/hosts/fifth_batch/row_kernel.hpp"
#include "mutants/hosts/fifth_batch/split_kv.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::fifth_batch {
namespace {

struct Fault : SplitKv {
  float updated_maximum(float before, float of_block) const override {
    const float maximum = SplitKv::updated_maximum(before, of_block);
    return maximum == minus_infinity ? 0.0f : maximum;
  }
};

const Registration<Mutant> registered{{
    .name = "row_maximum_stuck_at_zero",
    .summary = "a row that sees nothing of a block gets the running maximum 0 and keeps it: scores far below 0 "
               "underflow",
    .source = "Dao-AILab/flash-attention #2082",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x96x96x8 mask=window:1:0 scale=100",
    .kernel = [] { return row_kernel<Fault>("row_maximum_stuck_at_zero"); },
    .twin = right_split_kv,
}};

}  // namespace
}  // namespace attestone::inline mutants::fifth_batch
