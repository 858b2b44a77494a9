// SPDX-License-Identifier: Apache-2.0
// Mutant: ALiBi favours distant keys.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct AlibiSign : TiledSteps {
  double alibi(double slope, const Sequence& sequence, const Pair& at) const override {
    return -TiledSteps::alibi(slope, sequence, at);
  }
};

const Registration<Mutant> registered{{
    .name = "alibi_sign",
    .summary = "adds slope * distance where it must subtract it",
    .source = "meta-pytorch/attention-gym PR #86",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x3x1 score=alibi",
    .variant = "bias negated",
    .kernel = [] { return tiled_mutant<AlibiSign>("alibi_sign"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
