// SPDX-License-Identifier: Apache-2.0
// Mutant: dropout never happens.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct DropoutIgnored : TiledSteps {
  bool keeps(const Problem&, const Pair&) const override { return true; }
  float kept_factor(double) const override { return 1; }
};

const Registration<Mutant> registered{{
    .name = "dropout_ignored",
    .summary = "keeps every pair, and scales it nevertheless not at all",
    .source = "facebookresearch/xformers PR #123",
    .property = "dropout_pairs",
    .reason = "dropout-pairs",
    .problem = "shape=1x1x4x4x4 dropout=0.5",
    .variant = "dropout ignored",
    .kernel = [] { return tiled_mutant<DropoutIgnored>("dropout_ignored"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
