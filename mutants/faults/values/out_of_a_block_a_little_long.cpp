// SPDX-License-Identifier: Apache-2.0
// Mutant: O of one block of rows is a little too long.
#include "mutants/hosts/stored.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "out_of_a_block_a_little_long",
    .summary = "O of queries 64 to 127 is multiplied by 1.001 before it is stored",
    .property = "gain",
    .reason = "wrong-gain",
    .problem = "shape=32x4x128x24x8 dtype=bf16",
    .kernel =
        [] {
          return a_thousandth_long("out_of_a_block_a_little_long", TensorName::out,
                                   [](const Extents& at) { return at[2] / 64 == 1; });
        },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
