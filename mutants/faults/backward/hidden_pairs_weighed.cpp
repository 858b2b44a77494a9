// SPDX-License-Identifier: Apache-2.0
// Mutant: hidden pairs enter the backward pass with a weight of zero.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct HiddenPairsWeighed : FusedSteps {
  bool weighs_hidden_pairs() const override { return true; }
};

const Registration<Mutant> registered{{
    .name = "hidden_pairs_weighed",
    .summary = "multiplies hidden keys by 0 instead of leaving them out, and 0 * NaN is NaN",
    .source = "Xilinx/brevitas PR #1591",
    .property = "gradient_ignores_invisible",
    .reason = "invisible-key",
    .problem = "shape=1x1x2x2x2 mask=causal pass=forward+backward",
    .kernel = [] { return fused_mutant<HiddenPairsWeighed>("hidden_pairs_weighed"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
