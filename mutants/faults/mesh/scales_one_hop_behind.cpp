// SPDX-License-Identifier: Apache-2.0
// Mutant: codes that come with the scales of the place before.
#include "mutants/hosts/ring_of_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class ScalesOneHopBehind final : public RingOfCodes {
 protected:
  KeyValue decoded(const Rank& rank, const CodedKeys& comes, const CodedKeys& before) const override {
    for (const auto& [now, last] :
         {std::pair(&comes.scales.key, &before.scales.key), std::pair(&comes.scales.value, &before.scales.value)})
      for_each_row(*now, [to = now->all(), from = last->all(), rows = last->rows()](index head, index row) {
        if (row < rows) to.set(0, head, row, 0, from.value(0, head, row, 0));
      });
    return RingOfCodes::decoded(rank, comes, before);
  }
};

const Registration<Mutant> registered{{
    .name = "scales_one_hop_behind",
    .summary = "reads the codes of travelling keys with the scales that came one hop before",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return mutant_of_codes<ScalesOneHopBehind>("scales_one_hop_behind"); },
    .twin = [] { return mesh_twin(ring_of_codes); },
}};

}  // namespace
}  // namespace attestone::inline mutants
