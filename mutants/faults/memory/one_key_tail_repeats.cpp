// SPDX-License-Identifier: Apache-2.0
// Mutant: a tail of one key is read where a packed tensor would have it.
#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/call/tensors.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const bool is_shared = shares_places(problem) && problem.shape.keys % TiledSteps::tile == 1;
  const ConstView& right = arguments.key;
  const Tensor key = changed_copy(right, [&](double x, const Extents& at) {
    const bool is_tail = is_shared && at[1] > 0 && at[2] == problem.shape.keys - 1;
    return is_tail ? right.value(at[0], at[1], 0, at[3]) : x;
  });
  Arguments shifted = arguments;
  shifted.key = key.view();
  honest.forward(problem, shifted, device);
}

const Registration<Mutant> registered{{
    .name = "one_key_tail_repeats",
    .summary = "reads a last tile of one key as if heads did not share K",
    .source = "pytorch/pytorch #191937",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x1x17x1 layout=broadcast",
    .kernel = [] { return tampered_kernel("one_key_tail_repeats", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
