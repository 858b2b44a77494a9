// SPDX-License-Identifier: Apache-2.0
// Mutant: copies of kv heads in another order than their queries.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class CopiedHeadsTiled final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  index kv_head(const Rank& rank, index copy) const override { return copy % rank.attention.whole().shape.kv_heads; }
};

const Registration<Mutant> registered{{
    .name = "copied_heads_tiled",
    .summary = "copies all kv heads again and again, where queries read neighbouring copies",
    .source = "volcengine/verl #1226",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x4/2x1x2x1",
    .variant = "kv heads interleaved",
    .kernel = [] { return mesh_mutant<CopiedHeadsTiled>("copied_heads_tiled", copying_ulysses_of_four); },
    .twin = [] { return mesh_twin(copying_ulysses_of_four); },
}};

}  // namespace
}  // namespace attestone::inline mutants
