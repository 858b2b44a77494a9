// SPDX-License-Identifier: Apache-2.0
// Mutant: a buffer that is wider than its method says.
#include "mutants/hosts/mesh.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "parts_in_f32",
    .summary = "keeps what a block of a ring answers in f32, where the method has room for the output format",
    .property = "value_bound",
    .reason = "mesh-memory",
    .problem = "shape=1x1x2x2x1 dtype=bf16",
    .kernel =
        [] { return mesh_mutant("parts_in_f32", std::make_shared<CostedAs>("ring", "ring:parts=output"), "ring:2"); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
