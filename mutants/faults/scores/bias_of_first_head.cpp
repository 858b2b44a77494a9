// SPDX-License-Identifier: Apache-2.0
// Mutant: every head reads the bias of the first.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct BiasOfFirstHead : TiledSteps {
  double bias(const ConstView& bias, const Pair& at) const override {
    return TiledSteps::bias(bias, {at.batch, 0, at.query, at.key});
  }
};

const Registration<Mutant> registered{{
    .name = "bias_of_first_head",
    .summary = "reads the bias of head 0 for every head, as if the tensor had no axis of heads",
    .source = "pytorch/pytorch #112577",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x1x2x1 score=bias:full",
    .variant = "bias of the first head",
    .kernel = [] { return tiled_mutant<BiasOfFirstHead>("bias_of_first_head"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
