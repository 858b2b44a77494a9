// SPDX-License-Identifier: Apache-2.0
// Mutant: the scale is multiplied into Q, where Q lies.
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void scales_query_in_place(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const ConstView& q = arguments.query;
  const View writable(const_cast<std::byte*>(q.data()), q.dtype(), q.extents(), q.strides());
  const auto& [batches, heads, rows, channels] = q.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index i = 0; i < rows; ++i)
        for (index c = 0; c < channels; ++c) writable.set(b, h, i, c, q.value(b, h, i, c) * problem.scale());
}

const Registration<Mutant> registered{{
    .name = "scales_query_in_place",
    .summary = "multiplies the scale into Q, in the memory of the caller",
    .property = "guards",
    .reason = "input-changed",
    .problem = "shape=1x1x1x1x2",
    .kernel = [] { return tampered_kernel("scales_query_in_place", scales_query_in_place); },
    .twin = tiled_twin,
}};

}  // namespace
}  // namespace attestone::inline mutants
