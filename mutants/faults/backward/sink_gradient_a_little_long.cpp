// SPDX-License-Identifier: Apache-2.0
// Mutant: dSink is a little too long.
#include "mutants/hosts/stored.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "sink_gradient_a_little_long",
    .summary = "dSink is multiplied by 1.001 before it is stored",
    .property = "gradient_gain",
    .reason = "wrong-gain",
    .problem = "shape=1x4096x4x16x4 score=sink:head dtype=f16 pass=forward+backward",
    .kernel = [] { return a_thousandth_long("sink_gradient_a_little_long", TensorName::dsink); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
