// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows for more than 32 keys where later scores exceed the first ones by 88, or where all
// are that much below.
#include "mutants/hosts/second_batch/fused_backward.hpp"
#include "mutants/hosts/second_batch/kernel.hpp"
#include "mutants/hosts/second_batch/right.hpp"
#include "mutants/hosts/second_batch/tiled_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::second_batch {
namespace {

class Fault : public TiledForward {
 protected:
  bool maximum_may_rise(index_t j0) const override { return j0 == 0; }
};

const Registration<Mutant> registered{{
    .name = "gauge_fixed_by_first_key_tile",
    .summary = "the maximum of the first 32 keys stays the gauge of the row: later scores are not rescaled, and "
               "overflow or underflow",
    .source = "facebookexperimental/triton #3408",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x2x16x100x16 scale=50",
    .kernel = [] { return kernel<Fault, FusedBackward>("gauge_fixed_by_first_key_tile"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
