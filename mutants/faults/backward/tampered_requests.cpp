// SPDX-License-Identifier: Apache-2.0
// Gradients that are right only if others are asked for as well, or that are written where nobody asks.
#include <utility>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void query_gradient_unasked(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                            Device& device) {
  honest.backward(problem, arguments, device);
  if (problem.shape.rows() > 0 && problem.shape.dim > 0)
    arguments.dquery.set(0, 0, 0, 0, arguments.dquery.value(0, 0, 0, 0));
}

void key_gradient_beside_query_gradient(const Kernel& honest, const Problem& problem,
                                        const BackwardArguments& arguments, Device& device) {
  honest.backward(problem, arguments, device);
  if (arguments.dquery.exists() || !arguments.dkey.exists()) return;
  for_each_element(arguments.dkey, [&](index b, index h, index j, index c) { arguments.dkey.set(b, h, j, c, 0); });
}

void bias_gradient_beside_query_gradient(const Kernel& honest, const Problem& problem,
                                         const BackwardArguments& arguments, Device& device) {
  if (arguments.dquery.exists()) return honest.backward(problem, arguments, device);
  BackwardArguments without = arguments;
  without.dbias.reset();
  honest.backward(problem, without, device);
}

void delta_beside_key_gradient(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                               Device& device) {
  if (arguments.dkey.exists()) return honest.backward(problem, arguments, device);
  Tensor none(arguments.out.dtype(), arguments.out.extents());
  none.fill_code(0);
  BackwardArguments without = arguments;
  without.out = none.view();
  honest.backward(problem, without, device);
}

void value_gradient_in_place_of_key(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                    Device& device) {
  BackwardArguments moved = arguments;
  if (!arguments.dquery.exists() && problem.shape.dim == problem.shape.value_dim) std::swap(moved.dkey, moved.dvalue);
  honest.backward(problem, moved, device);
}

void no_queries_no_key_gradients(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                 Device& device) {
  if (problem.shape.queries > 0) honest.backward(problem, arguments, device);
}

const Registrations<Mutant> registered{
    {.name = "query_gradient_unasked",
     .summary = "writes to dQ where nobody asks for it",
     .property = "gradient_bound",
     .reason = "crashed",
     .problem = "shape=1x1x1x1x1 pass=forward+backward wants=dvalue",
     .kernel = [] { return tampered_backward_kernel("query_gradient_unasked", query_gradient_unasked); },
     .twin = tiled_twin},
    {.name = "key_gradient_beside_query_gradient",
     .summary = "computes dK inside the branch that computes dQ, so that dK alone is 0",
     .property = "wanted_alone",
     .reason = "depends-on-wants",
     .problem = "shape=1x1x1x2x1 pass=forward+backward wants=dkey",
     .kernel =
         [] {
           return tampered_backward_kernel("key_gradient_beside_query_gradient", key_gradient_beside_query_gradient);
         },
     .twin = tiled_twin},
    {.name = "bias_gradient_beside_query_gradient",
     .summary = "leaves dBias as the memory was where dQ is not asked for",
     .property = "gradient_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x1x2x1 score=bias:pair pass=forward+backward wants=dbias",
     .kernel =
         [] {
           return tampered_backward_kernel("bias_gradient_beside_query_gradient", bias_gradient_beside_query_gradient);
         },
     .twin = tiled_twin},
    {.name = "delta_beside_key_gradient",
     .summary = "computes delta = rowsum(dO O) only where dK is asked for",
     .property = "wanted_alone",
     .reason = "depends-on-wants",
     .problem = "shape=1x1x1x2x1 pass=forward+backward wants=dquery",
     .kernel = [] { return tampered_backward_kernel("delta_beside_key_gradient", delta_beside_key_gradient); },
     .twin = tiled_twin},
    {.name = "value_gradient_in_place_of_key",
     .summary = "returns dV in the place of dK where dQ is not asked for",
     .property = "wanted_alone",
     .reason = "depends-on-wants",
     .problem = "shape=1x1x1x2x1 pass=forward+backward wants=dkey",
     .kernel =
         [] { return tampered_backward_kernel("value_gradient_in_place_of_key", value_gradient_in_place_of_key); },
     .twin = tiled_twin},
    {.name = "no_queries_no_key_gradients",
     .summary = "returns at once when there are no queries, and leaves dK and dV as they were",
     .source = "Dao-AILab/flash-attention #2562",
     .property = "gradient_guards",
     .reason = "unwritten",
     .problem = "shape=1x1x0x2x1 pass=forward+backward",
     .kernel = [] { return tampered_backward_kernel("no_queries_no_key_gradients", no_queries_no_key_gradients); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
