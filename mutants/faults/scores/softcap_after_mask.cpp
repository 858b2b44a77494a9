// SPDX-License-Identifier: Apache-2.0
// Mutant: the softcap comes after the mask and turns -infinity into -c.
#include <limits>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct SoftcapAfterMask : TiledSteps {
  float masked(float score, std::optional<float> cap, bool visible) const override {
    return capped(visible ? score : -std::numeric_limits<float>::infinity(), cap);
  }
};

const Registration<Mutant> registered{{
    .name = "softcap_after_mask",
    .summary = "hidden scores are capped to -c, a finite number, and take part",
    .source = "flashinfer-ai/flashinfer PR #350",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x2x2x1 mask=causal score=softcap:1",
    .variant = "softcap after the mask, in the sum",
    .kernel = [] { return tiled_mutant<SoftcapAfterMask>("softcap_after_mask"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
