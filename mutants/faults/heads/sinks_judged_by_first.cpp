// SPDX-License-Identifier: Apache-2.0
// Mutant: the first sink speaks for all.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Arguments without = arguments;
  Problem other = problem;
  if (arguments.sink && arguments.sink->value(0, 0, 0, 0) <= 0) other.score = Score(), without.sink.reset();
  honest.forward(other, without, device);
}

const Registration<Mutant> registered{{
    .name = "sinks_judged_by_first",
    .summary = "leaves out all sinks if that of the first head is not positive",
    .property = "head_order_irrelevant",
    .reason = "head-order",
    .problem = "shape=1x2x1x2x2 score=sink:head seed=4",
    .kernel = [] { return tampered_kernel("sinks_judged_by_first", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
