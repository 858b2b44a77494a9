// SPDX-License-Identifier: Apache-2.0
// Mutant: the sink has a value of 0.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  if (!arguments.sink) return;
  for_each_element(arguments.out, [&](index b, index h, index i, index c) {
    arguments.out.set(b, h, i, c, arguments.out.value(b, h, i, c) + 0 * arguments.sink->value(0, h, 0, 0));
  });
}

const Registration<Mutant> registered{{
    .name = "sink_times_zero",
    .summary = "adds 0 times the logit of the sink, which is NaN if the sink is none",
    .property = "silent_sink",
    .reason = "neutral-term",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return tampered_kernel("sink_times_zero", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
