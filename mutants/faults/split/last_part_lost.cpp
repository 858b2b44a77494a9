// SPDX-License-Identifier: Apache-2.0
// Mutant: the last part is dropped unless it is full.
#include "mutants/hosts/split.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct LastPartLost : SplitSteps {
  index parts(index keys) const override { return keys / part_keys(keys); }
};

const Registration<Mutant> registered{{
    .name = "last_part_lost",
    .summary = "counts whole parts only, so that the keys behind the last one are never read",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x33x1",
    .kernel = [] { return split_mutant<LastPartLost>("last_part_lost"); },
    .twin = split_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
