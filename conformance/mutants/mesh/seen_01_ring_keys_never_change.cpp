// SPDX-License-Identifier: Apache-2.0
// Wrong program: the backward pass computes every step with the keys that it began with, and sends those on again
// and again; only gradients are wrong, from the second step on.
// Source: bugs.md M01 (diffusers #14265). Wrong on: any ring of two or more, backward pass.
// Wrong answer: ring:2 shape=1x1x4x4x8 pass=forward+backward
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class KeysNeverChange final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_01_ring_keys_never_change";
  using ChangedSteps::ChangedSteps;

 protected:
  KeyValue next_keys(const RingStep& step, KeyValue current, KeyValue next) const override {
    if (!step.backward) return ChangedSteps::next_keys(step, std::move(current), std::move(next));
    next.release();
    return current;
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<KeysNeverChange>("forgets in the backward pass to go on to the next keys")};

}  // namespace
}  // namespace attestone
