// SPDX-License-Identifier: Apache-2.0
// Mutant: dO is scaled where it lies.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void dout_scaled_in_place(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                          Device& device) {
  honest.backward(problem, arguments, device);
  const ConstView& dout = arguments.dout;
  const View writable(const_cast<std::byte*>(dout.data()), dout.dtype(), dout.extents(), dout.strides(),
                      dout.row_map());
  for_each_element(writable, [&](index b, index h, index i, index c) {
    writable.set(b, h, i, c, writable.value(b, h, i, c) * problem.scale());
  });
}

const Registration<Mutant> registered{{
    .name = "dout_scaled_in_place",
    .summary = "multiplies the scale into dO, in the memory of the caller",
    .property = "gradient_guards",
    .reason = "input-changed",
    .problem = "shape=1x1x1x1x2 pass=forward+backward",
    .kernel = [] { return tampered_backward_kernel("dout_scaled_in_place", dout_scaled_in_place); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
