// SPDX-License-Identifier: Apache-2.0
// Mutant: gradients of scores that overflowed are taken for noise.
#include <cmath>

#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct InfiniteGradientsLost : FusedSteps {
  void differentiate(ScoreGradient& gradient, float delta) const override {
    FusedSteps::differentiate(gradient, delta);
    for (float* sent : {&gradient.dbias, &gradient.dq_s, &gradient.dk_s})
      if (std::isinf(*sent)) *sent = 0;
  }
};

const Registration<Mutant> registered{{
    .name = "infinite_gradients_lost",
    .summary = "sends 0 where the gradient of a score is infinite, and NaN where it is NaN",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x4x6x2 mask=window:1:0 fill=nonfinite pass=forward+backward seed=10",
    .kernel = [] { return fused_mutant<InfiniteGradientsLost>("infinite_gradients_lost"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
