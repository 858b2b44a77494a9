// SPDX-License-Identifier: Apache-2.0
// Mutant: the backward pass is always causal.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct BackwardAlwaysCausal : FusedSteps {
  TileMask mask(const Mask&, const Sequence& sequence) const override {
    return *TileMask::of(Mask("causal"), sequence);
  }
};

const Registration<Mutant> registered{{
    .name = "backward_always_causal",
    .summary = "applies the causal mask in the backward pass whatever the problem says",
    .source = "triton-lang/triton #4541",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x2x2x2 pass=forward+backward",
    .variant = "causal backward",
    .kernel = [] { return fused_mutant<BackwardAlwaysCausal>("backward_always_causal"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
