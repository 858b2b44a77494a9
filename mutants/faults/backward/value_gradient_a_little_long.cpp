// SPDX-License-Identifier: Apache-2.0
// Mutant: dV is a little too long.
#include "mutants/hosts/stored.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "value_gradient_a_little_long",
    .summary = "dV is multiplied by 1.001 before it is stored",
    .property = "gradient_gain",
    .reason = "wrong-gain",
    .problem = "shape=1280x2x4x24x8 dtype=bf16 pass=forward+backward",
    .kernel = [] { return a_thousandth_long("value_gradient_a_little_long", TensorName::dvalue); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
