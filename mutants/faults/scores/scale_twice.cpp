// SPDX-License-Identifier: Apache-2.0
// Mutant: the scale is applied to the queries and again to the scores.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ScaleTwice : TiledSteps {
  float scaled(float product, float scale) const override { return product * scale * scale; }
};

const Registration<Mutant> registered{{
    .name = "scale_twice",
    .summary = "q.k is multiplied by the scale twice",
    .source = "HKUSTDial/flash-sparse-attention PR #106",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x4",
    .variant = "scale twice",
    .kernel = [] { return tiled_mutant<ScaleTwice>("scale_twice"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
