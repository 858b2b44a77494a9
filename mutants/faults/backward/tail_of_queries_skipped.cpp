// SPDX-License-Identifier: Apache-2.0
// Mutant: the last queries are left out of the backward pass.
#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct TailOfQueriesSkipped : FusedSteps {
  index queries_read(index queries) const override { return queries / tile * tile; }
};

const Registration<Mutant> registered{{
    .name = "tail_of_queries_skipped",
    .summary = "leaves the queries behind the last full tile of 16 out of dK and dV",
    .property = "gradient_sums",
    .reason = "gradient-sum",
    .problem = "shape=1x1x17x2x2 fill=uniform pass=forward+backward",
    .variant = "the last queries never read",
    .kernel = [] { return fused_mutant<TailOfQueriesSkipped>("tail_of_queries_skipped"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
