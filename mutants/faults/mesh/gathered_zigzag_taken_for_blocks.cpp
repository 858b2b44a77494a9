// SPDX-License-Identifier: Apache-2.0
// Mutant: gathered keys that nobody puts into the order of the sequence.
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "gathered_zigzag_taken_for_blocks",
    .summary = "takes gathered keys of zigzag places for those of neighbouring rows, in the order in which places come",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x4x4x1 mask=causal",
    .kernel =
        [] {
          return mesh_mutant("gathered_zigzag_taken_for_blocks", gathering_zigzag_of_two,
                             {.keys = [](const Rank& rank) { return as_blocks(rank.keys, rank.ring.size()); }});
        },
    .twin = [] { return mesh_twin(gathering_zigzag_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
