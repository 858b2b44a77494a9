// SPDX-License-Identifier: Apache-2.0
// Mutant: the denominator loses the dropped pairs.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct DropoutBeforeSum : TiledSteps {
  float counted(float p, bool kept) const override { return kept ? p : 0; }
};

const Registration<Mutant> registered{{
    .name = "dropout_before_sum",
    .summary = "adds up only the weights that dropout keeps, so that they are divided by too little",
    .source = "aws-neuron/nki-samples PR #80",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x4x4 dropout=0.5",
    .variant = "dropout before the sum",
    .kernel = [] { return tiled_mutant<DropoutBeforeSum>("dropout_before_sum"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
