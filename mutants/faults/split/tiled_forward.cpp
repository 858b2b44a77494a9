// SPDX-License-Identifier: Apache-2.0
// Split rows that add the sink once for each split.
#include "mutants/hosts/workspace_sums/tiled_forward.hpp"

#include "mutants/hosts/workspace_sums/fused_backward.hpp"
#include "mutants/hosts/workspace_sums/kernel.hpp"
#include "mutants/hosts/workspace_sums/right.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::workspace_sums {
namespace {

/// Shows for one query, a sink and more than 64 keys.
class SinkAddedByEveryKeySplit : public TiledForward {
 protected:
  float sink_count(const Call& c, const Sequence& s) const override {
    const auto splits = (s.keys + 63) / 64;
    return c.a.queries == 1 ? static_cast<float>(splits) : 1.0f;
  }
};

const Registrations<Mutant> registered{
    {.name = "sink_added_by_every_key_split",
     .summary = "with a single query the keys are split by 64, and each split adds the sink to its own sum before they "
                "are merged",
     .source = "ml-explore/mlx #3452",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=2x4x1x200x16 score=sink:head",
     .batch = "second",
     .kernel = [] { return kernel<SinkAddedByEveryKeySplit, FusedBackward>("sink_added_by_every_key_split"); },
     .twin = right_tiled_fused},
};

}  // namespace
}  // namespace attestone::inline mutants::workspace_sums
