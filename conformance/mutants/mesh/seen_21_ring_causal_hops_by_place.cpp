// SPDX-License-Identifier: Apache-2.0
// Wrong program: skips the hops whose keys lie on later devices wherever the mask is causal: right for as many
// queries as keys, but the last query stands at the last key, so with more keys than queries the first devices see
// keys of later ones.
// Source: own; the step <= rank rule of ring-flash-attention. Wrong on: any ring of two or more, causal masks with
// more keys than queries, both passes.
// Wrong answer: ring:2 shape=1x1x4x8x8 mask=causal
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class CausalHopsByPlace final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_21_ring_causal_hops_by_place";
  using ChangedSteps::ChangedSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    const bool later = step.source() > step.rank.ring.place;
    if (dealing() == Dealing::block && step.whole().mask == Mask("causal") && later) return {};
    return ChangedSteps::blocks(step);
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<CausalHopsByPlace>("skips keys of later devices under every causal mask")};

}  // namespace
}  // namespace attestone
