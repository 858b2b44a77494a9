// SPDX-License-Identifier: Apache-2.0
// Wrong program: dK and dV are added to the sums that come round before these have come: what is added is lost if
// they come later.
// Source: bugs.md N06 (VeOmni #420). Wrong on: any ring of two or more, backward pass.
// Wrong answer: ulysses:2+ring:2 shape=1x2x8x8x8 pass=forward+backward
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class SumsAddedEarly final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_17_two_dimensional_sums_added_early";
  using ChangedSteps::ChangedSteps;

 protected:
  bool adds_first() const override { return true; }
};

const Registration<RankProgramEntry> registered{
    two_dimensional_entry<SumsAddedEarly>("adds to sums of gradients before they have arrived")};

}  // namespace
}  // namespace attestone
