// SPDX-License-Identifier: Apache-2.0
// Mutant: dP leaves channels out.
#include <algorithm>

#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ShortGradientProduct : FusedSteps {
  index gradient_channels(const Shape& shape) const override { return std::min(shape.dim, shape.value_dim); }
};

const Registration<Mutant> registered{{
    .name = "short_gradient_product",
    .summary = "sums dO.v over dim channels where there are value_dim",
    .source = "fla-org/flash-linear-attention #632",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x1x2x1:2 pass=forward+backward",
    .kernel = [] { return fused_mutant<ShortGradientProduct>("short_gradient_product"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
