// SPDX-License-Identifier: Apache-2.0
// Mutant: an accumulator of fourteen bits.
#include <cmath>

#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// Fourteen significant bits, the rest cut off.
float cut(float x) {
  int exponent = 0;
  const float fraction = std::frexp(x, &exponent);
  return std::ldexp(std::trunc(std::ldexp(fraction, 14)), exponent - 14);
}

struct SumsOf14Bits : TiledSteps {
  float held(float product) const override { return cut(product); }
  void accumulate(std::span<float> O, float p, std::span<const float> v, bool visible) const override {
    TiledSteps::accumulate(O, p, v, visible);
    for (float& o : O) o = cut(o);
  }
};

const Registration<Mutant> registered{{
    .name = "sums_of_14_bits",
    .summary = "cuts sums to fourteen bits, as the e4m3 matrix units of the H100 do",
    .source = "DeepSeek-V3 (arXiv 2412.19437), section 3.3.2",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x2",
    .kernel = [] { return tiled_mutant<SumsOf14Bits>("sums_of_14_bits"); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
