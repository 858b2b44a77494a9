// SPDX-License-Identifier: Apache-2.0
// Mutant: a member of a group that has no rows to exchange.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class MembersWithoutRowsLeave final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    if (held.query.rows() > 0) {
      Task<RankAnswer> all = MeshSteps::forward(rank, std::move(held));
      co_return co_await all;
    }
    const Problem& whole = rank.attention.whole();
    const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
    RankAnswer nothing{
        Buffer(rank.device, "out", whole.output, 0, whole.shape.heads, whole.shape.value_dim),
        Buffer(rank.device, "log_sum_exp", dtype("f32"), rows.count(), rank.held_heads().query.count(), 1)};
    co_return nothing;
  }
};

const Registration<Mutant> registered{{
    .name = "members_without_rows_leave",
    .summary = "lets devices without rows leave before the exchange",
    .property = "value_bound",
    .reason = "mismatched-message",
    .problem = "shape=1x2x1x2x1",
    .kernel = [] { return mesh_mutant<MembersWithoutRowsLeave>("members_without_rows_leave", ulysses_of_two); },
    .twin = [] { return mesh_twin(ulysses_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
