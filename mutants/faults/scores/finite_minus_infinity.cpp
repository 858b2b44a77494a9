// SPDX-License-Identifier: Apache-2.0
// Mutant: minus infinity is a large negative number.
#include <algorithm>
#include <optional>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void deed(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr double large = -10000;
  Arguments finite = arguments;
  std::optional<Tensor> bias;
  if (arguments.bias) {
    bias.emplace(changed_copy(*arguments.bias, [&](double x, const Extents&) { return std::max(x, large); }));
    finite.bias.emplace(bias->view());
  }
  honest.forward(problem, finite, device);
}

const Registration<Mutant> registered{{
    .name = "finite_minus_infinity",
    .summary = "takes a bias of -inf for -10000, so that a row without a key becomes a mean",
    .source = "pytorch/pytorch issue #109517",
    .property = "mask_as_bias",
    .reason = "mask-form",
    .problem = "shape=1x1x3x2x2 mask=causal",
    .kernel = [] { return tampered_kernel("finite_minus_infinity", deed); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
