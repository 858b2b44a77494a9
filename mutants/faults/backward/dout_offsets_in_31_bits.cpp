// SPDX-License-Identifier: Apache-2.0
// Mutant: offsets into dout are kept in an int.
#include "mutants/hosts/narrow_offsets.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  const Tensor dout = read_by_narrow_offsets(arguments.dout);
  BackwardArguments misread = arguments;
  misread.dout = dout.view();
  honest.backward(problem, misread, device);
}

const Registration<Mutant> registered{{
    .name = "dout_offsets_in_31_bits",
    .summary = "keeps the offset of an element of dout in 31 bits, though that of O has more",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x2x1x1 layout=bhsd+dout/sparse pass=forward+backward",
    .kernel = [] { return tampered_backward_kernel("dout_offsets_in_31_bits", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
