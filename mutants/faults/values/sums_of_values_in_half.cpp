// SPDX-License-Identifier: Apache-2.0
// Mutant: sums of values are rounded to the input format before they are divided.
#include "backends/cpu/parts/codec.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct SumsOfValuesInHalf : TiledSteps {
  float finished(float o, float l) const override { return TiledSteps::finished(rounded_to_bf16(o), l); }
};

const Registration<Mutant> registered{{
    .name = "sums_of_values_in_half",
    .summary = "stores the sum of p v in bf16 before it is divided: no more than one rounding, but it leans",
    .source = "arXiv 2510.04212",
    .property = "unbiased_output",
    .reason = "biased",
    .problem = "shape=2560x1x2x24x4 dtype=bf16 fill=tied_maxima",
    .kernel = [] { return tiled_mutant<SumsOfValuesInHalf>("sums_of_values_in_half"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
