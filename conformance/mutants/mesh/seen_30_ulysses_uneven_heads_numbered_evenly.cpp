// SPDX-License-Identifier: Apache-2.0
// Wrong program: the first head of a member is taken to be its place times the number of heads that it has itself:
// right where heads are dealt evenly.
// Source: own; bugs.md N03 (DeepSpeed PR #8316) has head counts of another split. Wrong on: ulysses with
// heads=uneven, anything that differs by head, both passes.
// Wrong answer: ulysses:2 shape=1x3x4x4x8 score=alibi, with heads=uneven
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class UnevenHeadsNumberedEvenly final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_30_ulysses_uneven_heads_numbered_evenly";
  using ChangedSteps::ChangedSteps;

 protected:
  HeldHeads head_numbers(const Rank& rank) const override {
    const auto evenly = [&](Interval right) {
      const index first = rank.ulysses.place * right.count();
      return Interval{first, first + right.count() - 1};
    };
    const HeldHeads held = rank.held_heads();
    return {evenly(held.query), evenly(held.kv)};
  }
};

const Registration<RankProgramEntry> registered{ulysses_entry<UnevenHeadsNumberedEvenly>(
    "numbers heads by place x own count also where members have different counts")};

}  // namespace
}  // namespace attestone
