// SPDX-License-Identifier: Apache-2.0
// Mutant: every kv head is the first.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct FirstKvHead : TiledSteps {
  index kv_head(index, const Shape&) const override { return 0; }
};

const Registration<Mutant> registered{{
    .name = "first_kv_head",
    .summary = "divides strides where it must multiply, and every head reads kv head 0",
    .source = "BobMcDear/attorch #14",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x1x2x1",
    .variant = "first kv head for all",
    .kernel = [] { return tiled_mutant<FirstKvHead>("first_kv_head"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
