// SPDX-License-Identifier: Apache-2.0
// Mutant: one hop too many.
#include "mutants/hosts/mesh.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "keys_go_home",
    .summary = "sends the last keys of a ring on, which nobody needs any more",
    .property = "value_bound",
    .reason = "mesh-traffic",
    .problem = "shape=1x1x2x2x1",
    .kernel = [] { return mesh_mutant("keys_go_home", std::make_shared<CostedAs>("ring:hops=all", "ring"), "ring:2"); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
