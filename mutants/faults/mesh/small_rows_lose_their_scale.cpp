// SPDX-License-Identifier: Apache-2.0
// Mutant: scales that are kept away from zero.
#include <algorithm>
#include <cmath>

#include "mutants/hosts/ring_of_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class SmallRowsLoseTheirScale final : public RingOfCodes {
 protected:
  CodedKeys encoded(Device& device, const KeyValue& own) const override {
    constexpr double least = 1e-4;
    CodedKeys coded = RingOfCodes::encoded(device, own);
    const auto nearest = [](double x, double scale) { return scale > 0 ? std::nearbyint(x / scale) : 0; };
    for (const Buffer* scales : {&coded.scales.key, &coded.scales.value}) {
      const View all = scales->all();
      for_each_row(*scales, [&](index head, index row) {
        all.set(0, head, row, 0, std::max(all.value(0, head, row, 0), least / 127));
      });
    }
    code_again(own, coded, nearest);
    return coded;
  }
};

const Registration<Mutant> registered{{
    .name = "small_rows_lose_their_scale",
    .summary = "takes the largest number of a travelling row for 0.0001 at least, so that small rows become zeros",
    .property = "value_scaled",
    .reason = "power-of-two",
    .problem = "shape=1x1x1x2x1 seed=2",
    .kernel = [] { return mutant_of_codes<SmallRowsLoseTheirScale>("small_rows_lose_their_scale"); },
    .twin = [] { return mesh_twin(ring_of_codes); },
}};

}  // namespace
}  // namespace attestone::inline mutants
