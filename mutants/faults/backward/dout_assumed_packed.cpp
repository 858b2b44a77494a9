// SPDX-License-Identifier: Apache-2.0
// Mutant: dout is taken for packed.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  const ConstView& dout = arguments.dout;
  BackwardArguments packed = arguments;
  packed.dout = ConstView(dout.data(), dout.dtype(), dout.extents(), packed_strides(dout.extents()));
  honest.backward(problem, packed, device);
}

const Registration<Mutant> registered{{
    .name = "dout_assumed_packed",
    .summary = "reads dout as if it were packed, whatever its strides",
    .property = "gradient_layout",
    .reason = "gradient-layout",
    .problem = "shape=1x1x2x1x1 pass=forward+backward",
    .kernel = [] { return tampered_backward_kernel("dout_assumed_packed", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
