// SPDX-License-Identifier: Apache-2.0
// Gradients that depend on what they must not: the sign of a bias, zeros or negative numbers in K, the order of
// sequences.
#include <algorithm>
#include <utility>

#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void swapped_key_and_value_gradients(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                     Device& device) {
  BackwardArguments swapped = arguments;
  if (problem.shape.dim == problem.shape.value_dim) std::swap(swapped.dkey, swapped.dvalue);
  honest.backward(problem, swapped, device);
}

void epsilon_in_gradients(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                          Device& device) {
  honest.backward(problem, arguments, device);
  constexpr double epsilon = 1e-20;
  const View& dv = arguments.dvalue;
  for_each_element(dv, [&](index b, index h, index j, index c) { dv.set(b, h, j, c, dv.value(b, h, j, c) + epsilon); });
}

void negative_keys_without_gradient(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                    Device& device) {
  honest.backward(problem, arguments, device);
  for_each_element(arguments.dkey, [&](index b, index h, index j, index c) {
    if (arguments.key.value(b, h, j, 0) < 0) arguments.dkey.set(b, h, j, c, 0);
  });
}

void stops_behind_zero_key(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                           Device& device) {
  honest.backward(problem, arguments, device);
  bool ended = false;
  for (index j = 0; j < problem.shape.keys; ++j) {
    if (ended) arguments.dkey.set(0, 0, j, 0, 0), arguments.dvalue.set(0, 0, j, 0, 0);
    ended = ended || arguments.key.value(0, 0, j, 0) == 0;
  }
}

void small_biases_without_gradient(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                   Device& device) {
  constexpr double hides = -0.5;
  honest.backward(problem, arguments, device);
  if (!arguments.dbias) return;
  for_each_element(*arguments.dbias, [&](index b, index h, index i, index j) {
    if (arguments.bias->value(b, h, i, j) < hides) arguments.dbias->set(b, h, i, j, 0);
  });
}

void ungrouped_head_loses_gradient(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                   Device& device) {
  honest.backward(problem, arguments, device);
  const index last = problem.shape.kv_heads - 1;
  if (last == 0 || problem.shape.heads != problem.shape.kv_heads) return;
  for_each_element(arguments.dvalue, [&](index b, index h, index j, index c) {
    if (h == last) arguments.dvalue.set(b, h, j, c, 0);
  });
}

void longest_sequence_first_in_backward(const Kernel& honest, const Problem& problem,
                                        const BackwardArguments& arguments, Device& device) {
  Problem other = problem;
  for (index& length : other.lengths) length = std::min(length, problem.lengths.front());
  honest.backward(other, arguments, device);
}

const Registrations<Mutant> registered{
    {.name = "swapped_key_and_value_gradients",
     .summary = "answers dV for dK and dK for dV",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x1x2x2 pass=forward+backward",
     .variant = "dK and dV swapped",
     .kernel =
         [] { return tampered_backward_kernel("swapped_key_and_value_gradients", swapped_key_and_value_gradients); },
     .twin = tiled_twin},
    {.name = "epsilon_in_gradients",
     .summary = "adds 1e-20 to every element of dV, so that nothing is ever divided by zero",
     .property = "gradient_zeros",
     .reason = "gradient-not-zero",
     .problem = "shape=1x1x1x2x1 lengths=1 pass=forward+backward",
     .kernel = [] { return tampered_backward_kernel("epsilon_in_gradients", epsilon_in_gradients); },
     .twin = tiled_twin},
    {.name = "negative_keys_without_gradient",
     .summary = "leaves dK of keys at 0 that begin with a negative number, which marks padding elsewhere",
     .property = "gradient_key_sums",
     .reason = "gradient-sum",
     .problem = "shape=1x1x1x2x1 pass=forward+backward seed=10",
     .kernel =
         [] { return tampered_backward_kernel("negative_keys_without_gradient", negative_keys_without_gradient); },
     .twin = tiled_twin},
    {.name = "stops_behind_zero_key",
     .summary = "leaves dK and dV of the keys behind one of zeros at 0",
     .property = "gradient_key_order",
     .reason = "gradient-order",
     .problem = "shape=1x1x1x2x1 fill=few_valued pass=forward+backward seed=3",
     .kernel = [] { return tampered_backward_kernel("stops_behind_zero_key", stops_behind_zero_key); },
     .twin = tiled_twin},
    {.name = "small_biases_without_gradient",
     .summary = "leaves dBias at 0 where the bias is below -1/2, as if it hid the pair",
     .property = "gradient_bias_sums",
     .reason = "gradient-sum",
     .problem = "shape=1x1x1x2x1 score=bias:full pass=forward+backward seed=2",
     .kernel = [] { return tampered_backward_kernel("small_biases_without_gradient", small_biases_without_gradient); },
     .twin = tiled_twin},
    {.name = "ungrouped_head_loses_gradient",
     .summary = "clears dV of the last head if every query head has its own kv head",
     .property = "gradient_grouping",
     .reason = "gradient-sum",
     .problem = "shape=1x2/1x1x1x1 pass=forward+backward",
     .kernel = [] { return tampered_backward_kernel("ungrouped_head_loses_gradient", ungrouped_head_loses_gradient); },
     .twin = tiled_twin},
    {.name = "longest_sequence_first_in_backward",
     .summary = "takes no sequence for longer than the first on the way back",
     .property = "gradient_batch_order",
     .reason = "gradient-order",
     .problem = "shape=2x1x1x3x2 lengths=3+2 pass=forward+backward",
     .kernel =
         [] {
           return tampered_backward_kernel("longest_sequence_first_in_backward", longest_sequence_first_in_backward);
         },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
