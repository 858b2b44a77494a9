// SPDX-License-Identifier: Apache-2.0
// Wrong program: problems with dropout take another path, which knows nothing of the ring: keys go round, and only
// those of the own group are attended to.
// Source: bugs.md N09 (diffusers PR #12563). Wrong on: ulysses x ring with a ring of two or more, dropout, both
// passes.
// Wrong answer: ulysses:2+ring:2 shape=1x2x8x8x8 dropout=0.1
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class NativePath final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_16_two_dimensional_native_path";
  using ChangedSteps::ChangedSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    if (step.whole().dropout > 0 && step.number > 0) return {};
    return ChangedSteps::blocks(step);
  }
};

const Registration<RankProgramEntry> registered{
    two_dimensional_entry<NativePath>("attends to the own group's keys only where there is dropout")};

}  // namespace
}  // namespace attestone
