// SPDX-License-Identifier: Apache-2.0
// Wrong program: delta is computed anew at every hop, and what the rows give to the gradients of the sinks is added
// each time.
// Source: own; backward of bugs.md E13. Wrong on: any ring of two or more, problems with sinks, backward pass.
// Wrong answer: ring:2 shape=1x2x4x4x8 score=sink:head pass=forward+backward
#include "backends/distributed/local_steps.hpp"
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class GradientOfSinksAtEveryHop final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_25_ring_gradient_of_sinks_at_every_hop";
  using ChangedSteps::ChangedSteps;

 protected:
  Buffer delta(Rank& rank, const LocalQueries& queries, const RankSaved& saved) const override {
    for (index hop = 1; hop < rank.ring.size(); ++hop) delta_of(rank, queries, saved);
    return delta_of(rank, queries, saved);
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<GradientOfSinksAtEveryHop>("adds to dsink once for every hop")};

}  // namespace
}  // namespace attestone
