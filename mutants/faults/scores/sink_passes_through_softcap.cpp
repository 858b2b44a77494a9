// SPDX-License-Identifier: Apache-2.0
// Mutant of the tiled host: shows with a sink and a softcap that is not much larger than the sink.
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
  float sink(const Unit& u) const override {
    const float z = call->sink(u.h);
    return z == -kInfinity ? z : call->softcapped(z);
  }
};

const Registration<Mutant> registered{{
    .name = "sink_passes_through_softcap",
    .summary = "the row state is seeded with the sink on the scale of scores before the softcap, so that the sink is "
               "capped as well",
    .source = "ROCm/rocm-libraries PR #12229",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4x16x32x32 score=softcap:2&sink:head",
    .kernel = [] { return kernel<Fault, FusedBackward>("sink_passes_through_softcap"); },
    .twin = right_tiled,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
