// SPDX-License-Identifier: Apache-2.0
// Mutant: as many rows of every member as of the first.
#include <algorithm>

#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class OffsetsByFirstMember final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  index row_offset(const Exchange& exchange, index sequence, index place) const override {
    const index all = exchange.all_rows().count(sequence), rows = exchange.rows_of(place).count(sequence);
    return std::min(place * exchange.rows_of(0).count(sequence), all - rows);
  }
};

const Registration<Mutant> registered{{
    .name = "offsets_by_first_member",
    .summary = "writes the rows of the n-th member of a group at n times the rows of the first one",
    .source = "deepspeedai/DeepSpeed #7384",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x4x5x5x1",
    .kernel = [] { return mesh_mutant<OffsetsByFirstMember>("offsets_by_first_member", copying_ulysses_of_four); },
    .twin = [] { return mesh_twin(copying_ulysses_of_four); },
}};

}  // namespace
}  // namespace attestone::inline mutants
