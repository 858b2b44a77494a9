// SPDX-License-Identifier: Apache-2.0
// Mutant: delta is computed with dK, and is 0 without.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  if (arguments.dkey.exists()) return honest.backward(problem, arguments, device);
  Tensor none(arguments.out.dtype(), arguments.out.extents());
  none.fill_code(0);
  BackwardArguments without = arguments;
  without.out = none.view();
  honest.backward(problem, without, device);
}

const Registration<Mutant> registered{{
    .name = "delta_beside_key_gradient",
    .summary = "computes delta = rowsum(dO O) only where dK is asked for",
    .property = "wanted_alone",
    .reason = "depends-on-wants",
    .problem = "shape=1x1x1x2x1 pass=forward+backward wants=dquery",
    .kernel = [] { return tampered_backward_kernel("delta_beside_key_gradient", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
