// SPDX-License-Identifier: Apache-2.0
// Mutant: a device without queries that has nothing to compute.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class IdleDevicesLeave final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    if (held.query.rows() > 0) {
      Task<RankAnswer> ring = MeshSteps::forward(rank, std::move(held));
      co_return co_await ring;
    }
    const Shape& shape = rank.attention.whole().shape;
    RankAnswer nothing{Buffer(rank.device, "out", rank.attention.whole().output, 0, shape.heads, shape.value_dim),
                       Buffer(rank.device, "log_sum_exp", dtype("f32"), 0, shape.heads, 1)};
    co_return nothing;
  }
};

const Registration<Mutant> registered{{
    .name = "idle_devices_leave",
    .summary = "lets devices without queries leave a ring, with keys that others wait for",
    .property = "value_bound",
    .reason = "mismatched-message",
    .problem = "shape=1x1x2x3x1",
    .kernel = [] { return mesh_mutant<IdleDevicesLeave>("idle_devices_leave", ring_of_three); },
    .twin = [] { return mesh_twin(ring_of_three); },
}};

}  // namespace
}  // namespace attestone::inline mutants
