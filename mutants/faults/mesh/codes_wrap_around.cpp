// SPDX-License-Identifier: Apache-2.0
// Mutant: integers that wrap where they should saturate.
#include <cmath>

#include "mutants/hosts/ring_of_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// 127 steps are 128: the largest number of a row becomes the smallest.
class CodesWrapAround final : public RingOfCodes {
 protected:
  CodedKeys encoded(Device& device, const KeyValue& own) const override {
    CodedKeys coded = RingOfCodes::encoded(device, own);
    const auto wrapped = [](double x, double scale) {
      const double code = scale > 0 ? std::nearbyint(x / scale * 128 / 127) : 0;
      return code > 127 ? code - 256 : code;
    };
    code_again(own, coded, wrapped);
    return coded;
  }
};

const Registration<Mutant> registered{{
    .name = "codes_wrap_around",
    .summary = "divides by a scale that is too small by 127/128, and lets the largest codes of travelling keys wrap",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x1",
    .kernel = [] { return mutant_of_codes<CodesWrapAround>("codes_wrap_around"); },
    .twin = [] { return mesh_twin(ring_of_codes); },
}};

}  // namespace
}  // namespace attestone::inline mutants
