// SPDX-License-Identifier: Apache-2.0
// Mutant: dQ of one block of rows is a little too long.
#include "mutants/hosts/stored.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "query_gradient_of_a_block_a_little_long",
    .summary = "dQ of queries 64 to 127 is multiplied by 1.001 before it is stored",
    .property = "gradient_gain",
    .reason = "wrong-gain",
    .problem = "shape=32x4x128x24x8 dtype=f16 pass=forward+backward",
    .kernel =
        [] {
          return a_thousandth_long("query_gradient_of_a_block_a_little_long", TensorName::dquery,
                                   [](const Extents& at) { return at[2] / 64 == 1; });
        },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
