// SPDX-License-Identifier: Apache-2.0
// Mutant: keys of all heads at once, where chunks of heads are documented.
#include "mutants/hosts/mesh.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "heads_gathered_at_once",
    .summary = "gathers the keys of all heads at once, where a method gathers them in two chunks",
    .property = "value_bound",
    .reason = "mesh-traffic",
    .problem = "shape=1x2x1x2x1",
    .kernel =
        [] {
          return mesh_mutant("heads_gathered_at_once",
                             std::make_shared<CostedAs>("all_gather", gathering_chunks_of_two.method),
                             gathering_chunks_of_two.mesh);
        },
    .twin = [] { return mesh_twin(gathering_chunks_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
