// SPDX-License-Identifier: Apache-2.0
// Mutant: the maximum before and after a hidden tile is minus infinity.
#include <cmath>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct LeadingTileNan : TiledSteps {
  float shrink_sum(float m_before, float m) const override { return std::exp(m_before - m); }
  float shrink_output(float m_before, float m) const override { return std::exp(m_before - m); }
};

const Registration<Mutant> registered{{
    .name = "leading_tile_nan",
    .summary = "subtracts -inf from -inf where the first tile of a row is hidden, and never recovers from the NaN",
    .source = "vllm-project/vllm #48364",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x2x18x1 mask=window:1:0",
    .kernel = [] { return tiled_mutant<LeadingTileNan>("leading_tile_nan"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
