// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows where all scores of a row are below -5e4.
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
  float first_maximum() const override { return -5e4f; }
};

const Registration<Mutant> registered{{
    .name = "running_maximum_starts_at_a_finite_number",
    .summary = "the online softmax begins with the maximum -5e4 in place of -infinity; a row that lies below it "
               "underflows, and is answered with 0",
    .source = "flashinfer-ai/flashinfer #4267",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=2x4x16x2x8 scale=30000",
    .kernel = [] { return kernel<Fault, FusedBackward>("running_maximum_starts_at_a_finite_number"); },
    .twin = right_tiled_fused,
}};

}  // namespace
}  // namespace attestone::inline mutants::second_batch
