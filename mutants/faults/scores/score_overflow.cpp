// SPDX-License-Identifier: Apache-2.0
// Mutant: q.k waits in a pair of f16 numbers, precise enough but with the range of f16.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ScoreOverflow : TiledSteps {
  /// x = high + low to 22 bits, the way to emulate f32 on units that hold f16.
  float held(float product) const override {
    const DType& f16 = dtype("f16");
    const double high = f16.round(product);
    return static_cast<float>(high + f16.round(product - high));
  }
};

const Registration<Mutant> registered{{
    .name = "score_overflow",
    .summary = "q.k is held as the sum of two f16 numbers, and is NaN beyond 65504",
    .source = "pytorch/pytorch #121558",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x1x2x64 dtype=bf16 fill=large_logits",
    .kernel = [] { return tiled_mutant<ScoreOverflow>("score_overflow"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
