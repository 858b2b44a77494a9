// SPDX-License-Identifier: Apache-2.0
// Mutant: ALiBi aligns the first query with the first key.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct AlibiTopLeft : TiledSteps {
  double alibi(double slope, const Sequence& sequence, const Pair& at) const override {
    return TiledSteps::alibi(slope, {sequence.keys, sequence.keys}, at);
  }
};

const Registration<Mutant> registered{{
    .name = "alibi_top_left",
    .summary = "counts the distance from the query's own number, not from its position among the keys",
    .source = "Dao-AILab/flash-attention #907",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x3x1 score=alibi",
    .variant = "bias aligned at the top left",
    .kernel = [] { return tiled_mutant<AlibiTopLeft>("alibi_top_left"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
