// SPDX-License-Identifier: Apache-2.0
// Mutant: the next head is sought behind this one.
#include <algorithm>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/call/tensors.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const bool is_shared = shares_places(problem) && problem.shape.queries < 4;
  const ConstView& right = arguments.key;
  const Tensor key = changed_copy(right, [&](double x, const Extents& at) {
    const index batch = std::min(at[0] + at[1], problem.shape.batch - 1);
    return is_shared && at[2] < right.rows(batch) ? right.value(batch, at[1], at[2], at[3]) : x;
  });
  Arguments advanced = arguments;
  advanced.key = key.view();
  honest.forward(problem, advanced, device);
}

const Registration<Mutant> registered{{
    .name = "broadcast_ignored_in_small_calls",
    .summary = "ignores a stride of 0 between heads where there are few queries, and reads the next sequence",
    .source = "ml-explore/mlx #3480",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=2x2x1x2x1 layout=broadcast",
    .kernel = [] { return tampered_kernel("broadcast_ignored_in_small_calls", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
