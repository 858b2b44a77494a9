// SPDX-License-Identifier: Apache-2.0
// Wrong program: takes ranks that follow each other for places of a ring, and skips what a causal mask hides by
// these: with Ulysses inside, some hops are skipped that are seen.
// Source: own; yunchang has both orders (use_ulysses_low). Wrong on: ulysses x ring, both of two or more, causal
// masks, both passes.
// Wrong answer: ulysses:2+ring:2 shape=1x2x8x8x8 mask=causal
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class RingInnermost final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_18_two_dimensional_ring_innermost";
  using ChangedSteps::ChangedSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    const index place = step.rank.communicator.rank() % step.places();
    const Shape& shape = step.whole().shape;
    const bool square =
        shape.queries == shape.keys && step.whole().lengths.empty() && step.whole().query_lengths.empty();
    if (dealing() == Dealing::block && step.whole().mask == Mask("causal") && square && step.number > place) return {};
    return ChangedSteps::blocks(step);
  }
};

const Registration<RankProgramEntry> registered{
    two_dimensional_entry<RingInnermost>("skips hops under a causal mask as if the ring were the inner axis")};

}  // namespace
}  // namespace attestone
