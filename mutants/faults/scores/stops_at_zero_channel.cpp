// SPDX-License-Identifier: Apache-2.0
// Mutant: a zero is taken for padding.
#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  bool ended = false;
  const Tensor query = changed_copy(arguments.query, [&](double x, const Extents& at) {
    ended = x == 0 || (ended && at[3] > 0);
    return ended ? 0 : x;
  });
  Arguments shortened = arguments;
  shortened.query = query.view();
  honest.forward(problem, shortened, device);
}

const Registration<Mutant> registered{{
    .name = "stops_at_zero_channel",
    .summary = "takes a query to end at its first channel that is 0",
    .property = "channel_order_irrelevant",
    .reason = "channels",
    .problem = "shape=1x1x1x2x2 fill=few_valued seed=9",
    .kernel = [] { return tampered_kernel("stops_at_zero_channel", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
