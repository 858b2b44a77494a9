// SPDX-License-Identifier: Apache-2.0
// Values that saturate or lose their signs, and channels that are swapped or left out.
#include "mutants/hosts/tampered.hpp"

#include <algorithm>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void values_saturate(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  constexpr double largest = 448;
  const Tensor value =
      changed_copy(arguments.value, [&](double x, const Extents&) { return std::max(-largest, std::min(x, largest)); });
  Arguments saturated = arguments;
  saturated.value = value.view();
  honest.forward(problem, saturated, device);
}

void unsigned_values(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  const Tensor value = changed_copy(arguments.value, [](double x, const Extents&) { return std::max(x, 0.0); });
  Arguments positive = arguments;
  positive.value = value.view();
  honest.forward(problem, positive, device);
}

void columns_swapped_on_store(const Kernel& honest, const Problem& problem, const Arguments& arguments,
                              Device& device) {
  honest.forward(problem, arguments, device);
  const View& out = arguments.out;
  for_each_element(out, [&](index b, index h, index i, index c) {
    const index other = c ^ 1;
    if (other <= c || other >= problem.shape.value_dim || i >= out.rows(b)) return;
    const std::uint64_t code = out.code(b, h, i, c);
    out.set_code(b, h, i, c, out.code(b, h, i, other));
    out.set_code(b, h, i, other, code);
  });
}

void narrow_value_loses_tail(const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
  honest.forward(problem, arguments, device);
  const index last = problem.shape.value_dim - 1;
  if (problem.shape.value_dim >= problem.shape.dim) return;
  for_each_element(arguments.out, [&](index b, index h, index i, index c) {
    if (c == last) arguments.out.set(b, h, i, c, 0);
  });
}

const Registrations<Mutant> registered{
    {.name = "values_saturate",
     .summary = "saturates V at 448, the largest number of e4m3",
     .property = "value_scaled",
     .reason = "power-of-two",
     .problem = "shape=1x1x1x2x4",
     .kernel = [] { return tampered_kernel("values_saturate", values_saturate); },
     .twin = tiled_twin},
    {.name = "unsigned_values",
     .summary = "stores V as unsigned numbers: what is negative becomes 0",
     .property = "value_affine",
     .reason = "value-map",
     .problem = "shape=1x1x1x2x1 fill=uniform",
     .kernel = [] { return tampered_kernel("unsigned_values", unsigned_values); },
     .twin = tiled_twin},
    {.name = "columns_swapped_on_store",
     .summary = "swaps neighbouring channels of O: norms, means and deviations are right",
     .source = "Dao-AILab/flash-attention PR #2553",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1:2",
     .kernel = [] { return tampered_kernel("columns_swapped_on_store", columns_swapped_on_store); },
     .twin = tiled_twin},
    {.name = "narrow_value_loses_tail",
     .summary = "leaves the last channel 0 if value_dim is below dim",
     .property = "value_channels_alone",
     .reason = "channels",
     .problem = "shape=1x1x1x2x2",
     .kernel = [] { return tampered_kernel("narrow_value_loses_tail", narrow_value_loses_tail); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
