// SPDX-License-Identifier: Apache-2.0
// Mutant: a window that reaches fewer devices back in long sequences than in short ones.
#include <algorithm>

#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class WindowHopsByLongestSequence final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  Blocks blocks(const RingStep& step) const override {
    const Mask& mask = step.whole().mask;
    const bool looks_back = mask.kind() == Mask::Kind::rule && mask.rule() == "window" && mask.arguments()[1] == 0;
    if (looks_back && step.number > reach(step, mask.arguments()[0])) return {};
    return MeshSteps::blocks(step);
  }

 private:
  /// How many devices back the window reaches in the longest sequence; all of them where extents differ.
  static index reach(const RingStep& step, index rows) {
    index longest = step.places();
    for (index batch = 0; batch < step.whole().shape.batch; ++batch) {
      const Sequence sequence = step.whole().sequence(batch);
      if (sequence.queries != sequence.keys) return step.places();
      longest = std::max(longest, sequence.keys);
    }
    const index shard = longest / step.places();
    return (rows + shard - 1) / shard;
  }
};

const Registration<Mutant> registered{{
    .name = "window_hops_by_longest_sequence",
    .summary = "asks as many devices back for keys within a window as the longest sequence of the batch needs",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=2x1x9x9x1 lengths=9+3 query_lengths=9+3 mask=window:2:0",
    .kernel = [] { return mesh_mutant<WindowHopsByLongestSequence>("window_hops_by_longest_sequence", ring_of_three); },
    .twin = [] { return mesh_twin(ring_of_three); },
}};

}  // namespace
}  // namespace attestone::inline mutants
