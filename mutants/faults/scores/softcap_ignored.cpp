// SPDX-License-Identifier: Apache-2.0
// Mutant: the cap of the call is never read.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct SoftcapIgnored : TiledSteps {
  float capped(float score, std::optional<float>) const override { return score; }
};

const Registration<Mutant> registered{{
    .name = "softcap_ignored",
    .summary = "takes no cap from the call, only the one that it was built with",
    .source = "sgl-project/sglang #33915",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1 score=softcap:1",
    .variant = "softcap ignored",
    .kernel = [] { return tiled_mutant<SoftcapIgnored>("softcap_ignored"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
