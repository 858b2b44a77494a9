// SPDX-License-Identifier: Apache-2.0
// Mutant: NaN behind the mask spreads by its own convention, and so do large numbers.
#include "backends/changed_kernel.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct HiddenScoresMinus1e20 : TiledSteps {
  float masked(float score, std::optional<float> cap, bool visible) const override {
    return capped(score, cap) - (visible ? 0.0f : 1e20f);
  }
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool) const override {
    TiledSteps::accumulate(O, p, v, true);
  }
};

const Registration<Mutant> registered{{
    .name = "hidden_scores_minus_1e20",
    .summary = "declares that NaN behind the mask spreads, and subtracts 1e20 from hidden scores, which may be larger",
    .property = "invisible_keys_ignored",
    .reason = "invisible-key",
    .problem = "shape=1x1x4x4x4 mask=causal",
    .kernel =
        [] {
          return changed(tiled_mutant<HiddenScoresMinus1e20>("hidden_scores_minus_1e20"),
                         {.conventions = Conventions{.empty_rows = EmptyRows::mean,
                                                     .hidden_nonfinite = HiddenNonfinite::propagates}});
        },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
