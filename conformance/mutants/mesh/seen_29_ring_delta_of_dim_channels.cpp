// SPDX-License-Identifier: Apache-2.0
// Wrong program: delta is the sum of dO O over as many channels as Q and K have, where V and O have more.
// Source: bugs.md H04. Wrong on: any ring of two or more, value_dim > dim, backward pass.
// Wrong answer: ring:2 shape=1x1x4x4x8:16 pass=forward+backward
#include "backends/distributed/local_steps.hpp"
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class DeltaOfDimChannels final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_29_ring_delta_of_dim_channels";
  using ChangedSteps::ChangedSteps;

 protected:
  Buffer delta(Rank& rank, const LocalQueries& queries, const RankSaved& saved) const override {
    Buffer delta = delta_of(rank, queries, saved);
    const index dim = saved.query.channels();
    for_each_element(delta.all(), [&](index, index head, index row, index) {
      double beyond = 0;
      for (index c = dim; c < saved.out.channels(); ++c)
        beyond += saved.out.all().value(0, head, row, c) * saved.dout.all().value(0, head, row, c);
      if (beyond != 0) delta.all().set(0, head, row, 0, delta.all().value(0, head, row, 0) - beyond);
    });
    return delta;
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<DeltaOfDimChannels>("sums dO O over the channels of queries")};

}  // namespace
}  // namespace attestone
