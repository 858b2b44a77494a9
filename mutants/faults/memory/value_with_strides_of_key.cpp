// SPDX-License-Identifier: Apache-2.0
// Mutant: V is read with the strides of K.
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct ValueWithStridesOfKey : TiledSteps {
  ConstView value(const KernelInputs& inputs) const override {
    return {inputs.value.data(), inputs.value.dtype(), inputs.value.extents(), inputs.key.strides()};
  }
};

const Registration<Mutant> registered{{
    .name = "value_with_strides_of_key",
    .summary = "takes the strides of K for V, which is only right while both are alike",
    .source = "ROCm/pytorch #3230",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1:2",
    .kernel = [] { return tiled_mutant<ValueWithStridesOfKey>("value_with_strides_of_key"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
