// SPDX-License-Identifier: Apache-2.0
// Mutant: answers that are averaged, whatever their keys weigh.
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// A local kernel that says of all keys that they weigh 1.
KernelChanges equal_weights(const Rank&) {
  return {.forward = [](const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
    honest.forward(problem, arguments, device);
    const View& weight = arguments.log_sum_exp;
    for_each_element(weight, [&](index b, index head, index row, index) { weight.set(b, head, row, 0, 0); });
  }};
}

const Registration<Mutant> registered{{
    .name = "parts_weigh_the_same",
    .summary = "merges what places answer to a query as if the keys of each weighed the same",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return mesh_mutant("parts_weigh_the_same", keys_of_two, {.local = equal_weights}); },
    .twin = [] { return mesh_twin(keys_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
