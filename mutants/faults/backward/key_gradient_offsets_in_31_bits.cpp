// SPDX-License-Identifier: Apache-2.0
// Mutant: offsets into dK are kept in an int.
#include "mutants/hosts/narrow_offsets.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  if (!arguments.dkey.exists()) return honest.backward(problem, arguments, device);
  Tensor dkey(arguments.dkey.dtype(), arguments.dkey.extents());
  BackwardArguments elsewhere = arguments;
  elsewhere.dkey = dkey.view();
  honest.backward(problem, elsewhere, device);
  write_by_narrow_offsets(elsewhere.dkey, arguments.dkey);
}

const Registration<Mutant> registered{{
    .name = "key_gradient_offsets_in_31_bits",
    .summary = "keeps the offset of an element of dK in 31 bits, and so writes over other rows and between them",
    .property = "gradient_guards",
    .reason = "out-of-bounds-write",
    .problem = "shape=1x1x1x2x1 layout=bhsd+dkey/sparse pass=forward+backward",
    .kernel = [] { return tampered_backward_kernel("key_gradient_offsets_in_31_bits", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
