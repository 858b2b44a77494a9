// SPDX-License-Identifier: Apache-2.0
// Mutant: a ring on devices that form none.
#include "mutants/hosts/mesh.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "line_taken_for_a_ring",
    .summary = "sends keys round a ring both ways where an open line is documented",
    .property = "value_bound",
    .reason = "mesh-traffic",
    .problem = "shape=1x1x1x6x1",
    .kernel =
        [] {
          return mesh_mutant("line_taken_for_a_ring",
                             std::make_shared<CostedAs>("ring_bidirectional", line_of_three.method),
                             line_of_three.mesh);
        },
    .twin = [] { return mesh_twin(line_of_three); },
}};

}  // namespace
}  // namespace attestone::inline mutants
