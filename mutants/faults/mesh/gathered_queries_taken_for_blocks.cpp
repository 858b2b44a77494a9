// SPDX-License-Identifier: Apache-2.0
// Mutant: gathered queries that nobody puts into the order of the sequence.
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "gathered_queries_taken_for_blocks",
    .summary = "takes gathered queries of zigzag places for those of neighbouring rows",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x4x1 mask=causal",
    .kernel =
        [] {
          return mesh_mutant("gathered_queries_taken_for_blocks", zigzag_keys_of_two,
                             {.queries = [](const Rank& rank) { return as_blocks(rank.queries, rank.ring.size()); }});
        },
    .twin = [] { return mesh_twin(zigzag_keys_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
