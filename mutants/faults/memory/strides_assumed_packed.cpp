// SPDX-License-Identifier: Apache-2.0
// Mutant: the query is taken for packed.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct StridesAssumedPacked : TiledSteps {
  ConstView query(const KernelInputs& inputs) const override {
    return {inputs.query.data(), inputs.query.dtype(), inputs.query.extents(), packed_strides(inputs.query.extents())};
  }
};

const Registration<Mutant> registered{{
    .name = "strides_assumed_packed",
    .summary = "reads the query as if it were packed, whatever its strides",
    .property = "layout_irrelevant",
    .reason = "layout",
    .problem = "shape=1x1x2x1x1",
    .kernel = [] { return tiled_mutant<StridesAssumedPacked>("strides_assumed_packed"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
