// SPDX-License-Identifier: Apache-2.0
// Wrong program: after the exchange each member numbers its heads from 0: slopes of alibi, sinks, masks of heads and
// dropout are those of the first member.
// Source: own; Ulysses with ALiBi slopes that are not cut. Wrong on: any Ulysses group of two or more, with anything
// that differs by head, both passes.
// Wrong answer: ulysses:2 shape=1x2x4x4x8 score=alibi
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class HeadsNumberedFromZero final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_15_ulysses_heads_numbered_from_zero";
  using ChangedSteps::ChangedSteps;

 protected:
  HeldHeads head_numbers(const Rank& rank) const override {
    const HeldHeads held = rank.held_heads();
    return {{0, held.query.count() - 1}, {0, held.kv.count() - 1}};
  }
};

const Registration<RankProgramEntry> registered{
    ulysses_entry<HeadsNumberedFromZero>("every member of a Ulysses group takes its heads for the first ones")};

}  // namespace
}  // namespace attestone
