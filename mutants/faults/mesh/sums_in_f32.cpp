// SPDX-License-Identifier: Apache-2.0
// Mutant: sums of gradients in f32 where their method says bf16.
#include "mutants/hosts/mesh.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

const Registration<Mutant> registered{{
    .name = "sums_in_f32",
    .summary = "sends sums of dK and dV in f32 where they take the output format",
    .property = "gradient_bound",
    .reason = "mesh-traffic",
    .problem = "shape=1x1x1x2x1 dtype=bf16 pass=forward+backward",
    .kernel =
        [] {
          const auto wide = std::make_shared<CostedAs>("ring:messages=fused", fused_ring_of_two.method);
          return mesh_mutant("sums_in_f32", wide, fused_ring_of_two.mesh);
        },
    .twin = [] { return mesh_twin(fused_ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
