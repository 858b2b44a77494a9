// SPDX-License-Identifier: Apache-2.0
// Mutant: a mean that should have been a sum.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class GradientsOfCopiesAveraged final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  double share_of_copies(const Rank& rank) const override { return 1.0 / static_cast<double>(rank.heads.copies()); }
};

const Registration<Mutant> registered{{
    .name = "gradients_of_copies_averaged",
    .summary = "averages gradients of the copies of a kv head",
    .source = "PrimeIntellect-ai/prime-rl PR #3042",
    .property = "gradient_bound",
    .reason = "wrong-gradient",
    .problem = "shape=1x4/2x1x1x1 pass=forward+backward",
    .kernel =
        [] { return mesh_mutant<GradientsOfCopiesAveraged>("gradients_of_copies_averaged", copying_ulysses_of_four); },
    .twin = [] { return mesh_twin(copying_ulysses_of_four); },
}};

}  // namespace
}  // namespace attestone::inline mutants
