// SPDX-License-Identifier: Apache-2.0
// Mutant: gradients that are added to sums still on their way.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class SumsAddedBeforeTheyCome final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  bool adds_first() const override { return true; }
};

const Registration<Mutant> registered{{
    .name = "sums_added_before_they_come",
    .summary = "adds to travelling sums of dK and dV before they have come, so that what it adds is lost",
    .source = "ByteDance-Seed/VeOmni #420",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x2x4x4x1 pass=forward+backward",
    .kernel = [] { return mesh_mutant<SumsAddedBeforeTheyCome>("sums_added_before_they_come", two_by_two); },
    .twin = [] { return mesh_twin(two_by_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
