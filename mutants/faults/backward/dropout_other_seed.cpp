// SPDX-License-Identifier: Apache-2.0
// Mutant: the backward pass drops other pairs.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct DropoutOtherSeed : FusedSteps {
  bool keeps(const Problem& problem, const Pair& at) const override {
    Problem other = problem;
    ++other.seed;
    return FusedSteps::keeps(other, at);
  }
};

const Registration<Mutant> registered{{
    .name = "dropout_other_seed",
    .summary = "draws the dropout of the backward pass with another seed",
    .source = "pytorch/pytorch PR #197563",
    .property = "dropout_pairs",
    .reason = "dropout-pairs",
    .problem = "shape=1x1x4x4x4 dropout=0.5 pass=forward+backward",
    .variant = "another seed in the backward pass",
    .kernel = [] { return fused_mutant<DropoutOtherSeed>("dropout_other_seed"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
