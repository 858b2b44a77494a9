// SPDX-License-Identifier: Apache-2.0
// Mutant: stores cut off what they should round.
#include "mutants/hosts/stored.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "stores_truncated",
    .summary = "O and the gradients are cut to their format instead of rounded, and nothing of it is declared",
    .property = "gain",
    .reason = "wrong-gain",
    .problem = "shape=1280x2x4x24x8 dtype=bf16",
    .kernel =
        [] {
          return storing_kernel("stores_truncated", [](const StoredElement& element) {
            return element.problem.output.round(element.value, Rounding::toward_zero);
          });
        },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
