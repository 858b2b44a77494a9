// SPDX-License-Identifier: Apache-2.0
// Mutant: a merge that does not look whether a part saw any key.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class TwoEmptyPartsMerged final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  void before_merge(const RingStep& step, const Blocks& blocks, Buffer&, Buffer& log_sum_exp) const override {
    if (step.rank.attention.inputs().sink) return;
    const View all = log_sum_exp.all();
    index from = 0;
    for (const SequenceBlock& block : blocks)
      for (index query = block.queries.first; query <= block.queries.last; ++query, ++from)
        for (index head = 0; head < log_sum_exp.heads(); ++head)
          if (std::isinf(all.value(0, head, from, 0)) && !seen_before(step, block.sequence, head, query))
            all.set(0, head, from, 0, std::numeric_limits<double>::quiet_NaN());
  }

 private:
  /// Whether the query has seen a key of an earlier step.
  static bool seen_before(const RingStep& step, index sequence, index head, index query) {
    for (index number = 0; number < step.number; ++number)
      for (const SequenceBlock& block :
           step.rank.attention.blocks(step.queries, step.rank.keys.of_ring(step.rank.ring.beside(-number)))) {
        const Interval queries = block.queries;
        if (block.sequence != sequence || query < queries.first || query > queries.last) continue;
        if (block.seen != Seen::some) return true;
        const index keys = block.keys.count(), of_head = queries.count() * keys;
        const bool by_head = static_cast<index>(block.bytes.size()) > of_head;
        const auto row = block.bytes.begin() + (by_head ? head * of_head : 0) + (query - queries.first) * keys;
        if (std::find(row, row + keys, std::uint8_t{1}) != row + keys) return true;
      }
    return false;
  }
};

const Registration<Mutant> registered{{
    .name = "two_empty_parts_merged",
    .summary = "takes -infinity from -infinity where neither of two merged parts has a key",
    .source = "flashinfer-ai/flashinfer #4051",
    .property = "value_bound",
    .reason = "wrong-non-finite",
    .problem = "shape=1x1x6x6x1 mask=dense:30",
    .kernel = [] { return mesh_mutant<TwoEmptyPartsMerged>("two_empty_parts_merged", ring_of_two); },
    .twin = [] { return mesh_twin(ring_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
