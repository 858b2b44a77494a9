// SPDX-License-Identifier: Apache-2.0
// Wrong program: where messages are fused, the sums of gradients are packed as dK, dV and unpacked as dV, dK.
// Source: own. Wrong on: rings with messages=fused, backward pass.
// Wrong answer: ring:2 shape=1x1x4x4x8 pass=forward+backward, with messages=fused
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class FusedGradientsSwapped final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_24_ring_fused_gradients_swapped";
  using ChangedSteps::ChangedSteps;

 protected:
  std::vector<Request> hop_of_sums(Rank& rank, const KeyValue& out, const KeyValue& in,
                                   Messages messages) const override {
    if (messages == Messages::apart) return ChangedSteps::hop_of_sums(rank, out, in, messages);
    const std::vector<ConstView> going{out.key.all(), out.value.all()};
    const std::vector<View> coming{in.value.all(), in.key.all()};
    return permute(rank.communicator, rank.ring, 1, going, coming, messages);
  }
};

const Registration<RankProgramEntry> registered{
    ring_entry<FusedGradientsSwapped>("unpacks fused messages of gradients in the other order")};

}  // namespace
}  // namespace attestone
