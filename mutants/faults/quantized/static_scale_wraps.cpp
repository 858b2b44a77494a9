// SPDX-License-Identifier: Apache-2.0
// Mutant: int8 codes beyond 127.
#include <cmath>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

constexpr double largest = 2, codes = 127, wrap = 256;

/// K of a cache whose codes leave int8: what they wrap to.
void wrapping(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Inputs inputs(problem);
  const View key = inputs.key.view();
  for_each_element(arguments.key, [&](index b, index h, index j, index c) {
    const double code = std::nearbyint(arguments.key.value(b, h, j, c) * codes / largest);
    const double turns = std::floor((code + wrap / 2) / wrap);
    key.set(b, h, j, c, turns == 0 ? arguments.key.value(b, h, j, c) : (code - turns * wrap) * largest / codes);
  });
  Arguments own = arguments;
  own.key = inputs.key.view();
  honest.forward(problem, own, device);
}

const Registration<Mutant> registered{{
    .name = "static_scale_wraps",
    .summary = "numbers beyond a static scale wrap around in int8, where they should saturate",
    .source = "PTX ISA, cvt without .sat",
    .property = "codes_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x4 dtype=f16 fill=wide",
    .kernel =
        [] {
          return changed(make_kernel("coded_cache:key_largest=2"), {.name = "static_scale_wraps", .forward = wrapping});
        },
    .twin = [] { return make_kernel("coded_cache:key_largest=2"); },
}};

}  // namespace
}  // namespace attestone::inline mutants
