// SPDX-License-Identifier: Apache-2.0
// Mutant: a block that is left out where keys turn.
#include <utility>

#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// A local kernel that at either end of the line gives nothing to keys of others, and takes nothing from them. Its
/// first call is that of the own keys.
KernelChanges of_own_keys(const Rank& rank) {
  if (rank.ring.place > 0 && rank.ring.place < rank.ring.size() - 1) return {};
  return {.backward = [own = true](const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                   Device& device) mutable {
    honest.backward(problem, arguments, device);
    if (std::exchange(own, false)) return;
    for (const View& gradient : {arguments.dquery, arguments.dkey, arguments.dvalue})
      for_each_element(gradient, [&](index batch, index head, index row, index channel) {
        gradient.set(batch, head, row, channel, 0);
      });
  }};
}

const Registration<Mutant> registered{{
    .name = "turning_keys_unused",
    .summary = "lets keys turn at the end of a line without using them there",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x1x3x3x1 pass=forward+backward",
    .kernel = [] { return mesh_mutant("turning_keys_unused", reflecting_line_of_three, {.local = of_own_keys}); },
    .twin = [] { return mesh_twin(reflecting_line_of_three); },
}};

}  // namespace
}  // namespace attestone::inline mutants
