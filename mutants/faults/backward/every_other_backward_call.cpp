// SPDX-License-Identifier: Apache-2.0
// Mutant: every second backward call differs in the last bit.
#include <atomic>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

std::atomic<int> calls = 0;

void every_other_backward_call(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                               Device& device) {
  honest.backward(problem, arguments, device);
  const View& dv = arguments.dvalue;
  if (calls++ % 2 == 1 && dv.rows(0) > 0) dv.set_code(0, 0, 0, 0, dv.code(0, 0, 0, 0) ^ 1);
}

const Registration<Mutant> registered{{
    .name = "every_other_backward_call",
    .summary = "loses a last bit in every second call, as an addition that two threads make at once does",
    .source = "Dao-AILab/flash-attention #359",
    .property = "gradient_repeats",
    .reason = "not-repeatable",
    .problem = "shape=1x1x1x1x1 pass=forward+backward",
    .kernel = [] { return tampered_backward_kernel("every_other_backward_call", every_other_backward_call); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
