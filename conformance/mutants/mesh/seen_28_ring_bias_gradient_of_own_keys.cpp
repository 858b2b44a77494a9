// SPDX-License-Identifier: Apache-2.0
// Wrong program: only the first step, on the device's own keys, adds to the gradient of the bias.
// Source: own. Wrong on: any ring of two or more, problems with a bias, backward pass.
// Wrong answer: ring:2 shape=1x1x4x4x8 score=bias:full pass=forward+backward
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class BiasGradientOfOwnKeys final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_28_ring_bias_gradient_of_own_keys";
  using ChangedSteps::ChangedSteps;

 protected:
  std::optional<View> dbias(const RingStep& step) const override {
    if (step.number > 0) return std::nullopt;
    return ChangedSteps::dbias(step);
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<BiasGradientOfOwnKeys>("dbias has the shares of the first step only")};

}  // namespace
}  // namespace attestone
