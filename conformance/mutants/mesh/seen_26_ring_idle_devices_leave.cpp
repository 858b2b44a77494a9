// SPDX-License-Identifier: Apache-2.0
// Wrong program: a device without queries has nothing to compute and leaves at once, with the keys that others wait
// for.
// Source: own; distributed.md section 11, empty shards. Wrong on: rings with more devices than queries, forward pass.
// Wrong answer: ring:3 shape=1x1x2x6x8
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class IdleDevicesLeave final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_26_ring_idle_devices_leave";
  using ChangedSteps::ChangedSteps;

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    if (held.query.rows() > 0) {
      Task<RankAnswer> ring = ChangedSteps::forward(rank, std::move(held));
      co_return co_await ring;
    }
    const Shape& shape = rank.attention.whole().shape;
    RankAnswer nothing{Buffer(rank.device, "out", rank.attention.whole().output, 0, shape.heads, shape.value_dim),
                       Buffer(rank.device, "log_sum_exp", dtype("f32"), 0, shape.heads, 1)};
    co_return nothing;
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<IdleDevicesLeave>("devices without queries do not take part in the ring")};

}  // namespace
}  // namespace attestone
