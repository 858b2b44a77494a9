// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows when heads / kv_heads is no power of two and there is more than one kv head.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public TiledForward {
 protected:
  Unit unit_of(int64_t index) const override {
    Unit u = TiledForward::unit_of(index);
    int shift = 0;
    while ((int64_t{1} << shift) < call->a.heads / call->a.kv_heads) ++shift;
    u.kv_head = u.h >> shift;
    return u;
  }
};

const Registration<Mutant> registered{{
    .name = "kv_head_by_power_of_two_shift",
    .summary = "the query heads of a group are padded to a power of two, and the kv head is the head shifted right by "
               "that power",
    .source = "apache/tvm PR #17466",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x6/2x16x32x16",
    .kernel = [] { return kernel<Fault, FusedBackward>("kv_head_by_power_of_two_shift"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
