// SPDX-License-Identifier: Apache-2.0
// Mutant: sums in a wider format than their method says.
#include "conformance/mutants/machinery/mesh_steps.hpp"
#include "conformance/mutants/machinery/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

class SumsInF64 final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  RingVariant ring_variant(const Rank& rank) const override {
    RingVariant wide = MeshSteps::ring_variant(rank);
    wide.sums = &dtype("f64");
    return wide;
  }
};

const Registration<Mutant> registered{{
    .name = "sums_in_f64",
    .summary = "sends sums of dK and dV in f64 where they take f32",
    .property = "gradient_bound",
    .reason = "mesh-traffic",
    .problem = "shape=1x1x1x2x1 pass=forward+backward",
    .kernel = [] { return mesh_mutant<SumsInF64>("sums_in_f64", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone
