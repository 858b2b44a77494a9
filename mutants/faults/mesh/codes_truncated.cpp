// SPDX-License-Identifier: Apache-2.0
// Mutant: codes that are cut instead of rounded.
#include <cmath>

#include "mutants/hosts/ring_of_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class CodesTruncated final : public RingOfCodes {
 protected:
  CodedKeys encoded(Device& device, const KeyValue& own) const override {
    CodedKeys coded = RingOfCodes::encoded(device, own);
    const auto cut = [](double x, double scale) { return scale > 0 ? std::trunc(x / scale) : 0; };
    code_again(own, coded, cut);
    return coded;
  }
};

const Registration<Mutant> registered{{
    .name = "codes_truncated",
    .summary = "cuts the codes of travelling keys, instead of rounding them",
    .property = "exact_selection",
    .reason = "not-exact",
    .problem = "shape=1x1x2x2x2:4",
    .kernel = [] { return mutant_of_codes<CodesTruncated>("codes_truncated"); },
    .twin = [] { return mesh_twin(ring_of_codes); },
}};

}  // namespace
}  // namespace attestone::inline mutants
