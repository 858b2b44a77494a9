// SPDX-License-Identifier: Apache-2.0
// Mutant: scores are clamped to a range, which hides NaN.
#include <cmath>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct NanClampedInScores : TiledSteps {
  float held(float product) const override { return std::fmin(std::fmax(product, -1e30f), 1e30f); }
};

const Registration<Mutant> registered{{
    .name = "nan_clamped_in_scores",
    .summary = "keeps q.k between -1e30 and 1e30 with fmin and fmax, which take NaN for the lower end",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x4x24x2 fill=nonfinite seed=3",
    .kernel = [] { return tiled_mutant<NanClampedInScores>("nan_clamped_in_scores"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
