// SPDX-License-Identifier: Apache-2.0
// Mutant: rows without keys are NaN by its own convention, and so are rows of one key.
#include <limits>

#include "backends/changed_kernel.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct LoneKeyTakenForNone : TiledSteps {
  float finished(float o, float l) const override { return l <= 1 ? std::numeric_limits<float>::quiet_NaN() : o / l; }
};

const Registration<Mutant> registered{{
    .name = "lone_key_taken_for_none",
    .summary = "declares that rows without keys are NaN, and answers NaN to rows of one key as well",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x2x2x1 mask=causal",
    .kernel =
        [] {
          return changed(tiled_mutant<LoneKeyTakenForNone>("lone_key_taken_for_none"),
                         {.conventions = Conventions{.empty_rows = EmptyRows::nan}});
        },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
