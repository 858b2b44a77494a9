// SPDX-License-Identifier: Apache-2.0
// Mutant: products in tf32.
#include <cmath>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

/// The nearest number of eleven significant bits.
double rounded_to_tf32(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 11)), exponent - 11);
}

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  Inputs rounded(problem);
  const auto round = [](const ConstView& from, const View& to) {
    for_each_element(
        from, [&](index b, index h, index r, index c) { to.set(b, h, r, c, rounded_to_tf32(from.value(b, h, r, c))); });
  };
  round(arguments.query, rounded.query.view());
  round(arguments.key, rounded.key.view());
  Arguments other = arguments;
  other.query = rounded.query.view(), other.key = rounded.key.view();
  honest.forward(problem, other, device);
}

const Registration<Mutant> registered{{
    .name = "tf32_products",
    .summary = "rounds Q and K to eleven bits, as tf32 does, without saying so",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x1x1x2x8",
    .kernel = [] { return tampered_kernel("tf32_products", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
