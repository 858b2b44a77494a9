// SPDX-License-Identifier: Apache-2.0
// Mutant: O is a little too long, everywhere alike.
#include "mutants/hosts/stored.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "out_a_little_long",
    .summary = "O is multiplied by 1.001 before it is stored: a fifth of what a rounding to bf16 may do",
    .property = "gain",
    .reason = "wrong-gain",
    .problem = "shape=1280x2x4x24x8 dtype=bf16",
    .kernel = [] { return a_thousandth_long("out_a_little_long", TensorName::out); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
