// SPDX-License-Identifier: Apache-2.0
// Mutant: padding takes part in the backward pass.
#include <limits>

#include "mutants/hosts/fused.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

struct PaddedQueriesInBackward : FusedSteps {
  index queries_read(index) const override { return std::numeric_limits<index>::max(); }
};

const Registration<Mutant> registered{{
    .name = "padded_queries_in_backward",
    .summary = "lets the queries behind a sequence's end add to dK and dV",
    .source = "tile-ai/tilelang PR #2461",
    .property = "gradient_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x2x2x2 query_lengths=1 pass=forward+backward",
    .kernel = [] { return fused_mutant<PaddedQueriesInBackward>("padded_queries_in_backward"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
