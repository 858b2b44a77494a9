// SPDX-License-Identifier: Apache-2.0
// Gradients that go wrong by memory: strides and offsets of dout and dK, and what remains from earlier calls.
#include <algorithm>
#include <atomic>
#include <map>

#include "mutants/hosts/changed_copy.hpp"
#include "mutants/hosts/narrow_offsets.hpp"
#include "mutants/hosts/tampered.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

void dout_assumed_packed(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                         Device& device) {
  const ConstView& dout = arguments.dout;
  BackwardArguments packed = arguments;
  packed.dout = ConstView(dout.data(), dout.dtype(), dout.extents(), packed_strides(dout.extents()));
  honest.backward(problem, packed, device);
}

void dout_offsets_in_31_bits(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                             Device& device) {
  const Tensor dout = read_by_narrow_offsets(arguments.dout);
  BackwardArguments misread = arguments;
  misread.dout = dout.view();
  honest.backward(problem, misread, device);
}

void key_gradient_offsets_in_31_bits(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                                     Device& device) {
  if (!arguments.dkey.exists()) return honest.backward(problem, arguments, device);
  Tensor dkey(arguments.dkey.dtype(), arguments.dkey.extents());
  BackwardArguments elsewhere = arguments;
  elsewhere.dkey = dkey.view();
  honest.backward(problem, elsewhere, device);
  write_by_narrow_offsets(elsewhere.dkey, arguments.dkey);
}

void dout_scaled_in_place(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                          Device& device) {
  honest.backward(problem, arguments, device);
  const ConstView& dout = arguments.dout;
  const View writable(const_cast<std::byte*>(dout.data()), dout.dtype(), dout.extents(), dout.strides(),
                      dout.row_map());
  for_each_element(writable, [&](index b, index h, index i, index c) {
    writable.set(b, h, i, c, writable.value(b, h, i, c) * problem.scale());
  });
}

void dout_saturates(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments, Device& device) {
  constexpr double largest = 8;
  const Tensor dout =
      changed_copy(arguments.dout, [&](double x, const Extents&) { return std::max(-largest, std::min(x, largest)); });
  BackwardArguments saturated = arguments;
  saturated.dout = dout.view();
  honest.backward(problem, saturated, device);
}

std::map<std::string, std::uint64_t> first_answers;

/// Knows only the first element: enough for one that has seen the problem before.
void gradients_of_first_call(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                             Device& device) {
  honest.backward(problem, arguments, device);
  const View& dv = arguments.dvalue;
  if (dv.rows(0) == 0) return;
  const auto [known, fresh] = first_answers.try_emplace(problem.text(), dv.code(0, 0, 0, 0));
  if (!fresh) dv.set_code(0, 0, 0, 0, known->second);
}

std::atomic<int> calls = 0;

void every_other_backward_call(const Kernel& honest, const Problem& problem, const BackwardArguments& arguments,
                               Device& device) {
  honest.backward(problem, arguments, device);
  const View& dv = arguments.dvalue;
  if (calls++ % 2 == 1 && dv.rows(0) > 0) dv.set_code(0, 0, 0, 0, dv.code(0, 0, 0, 0) ^ 1);
}

const Registrations<Mutant> registered{
    {.name = "dout_assumed_packed",
     .summary = "reads dout as if it were packed, whatever its strides",
     .property = "gradient_layout",
     .reason = "gradient-layout",
     .problem = "shape=1x1x2x1x1 pass=forward+backward",
     .kernel = [] { return tampered_backward_kernel("dout_assumed_packed", dout_assumed_packed); },
     .twin = tiled_twin},
    {.name = "dout_offsets_in_31_bits",
     .summary = "keeps the offset of an element of dout in 31 bits, though that of O has more",
     .property = "gradient_bound",
     .reason = "wrong-gradient",
     .problem = "shape=1x1x2x1x1 layout=bhsd+dout/sparse pass=forward+backward",
     .kernel = [] { return tampered_backward_kernel("dout_offsets_in_31_bits", dout_offsets_in_31_bits); },
     .twin = tiled_twin},
    {.name = "key_gradient_offsets_in_31_bits",
     .summary = "keeps the offset of an element of dK in 31 bits, and so writes over other rows and between them",
     .property = "gradient_guards",
     .reason = "out-of-bounds-write",
     .problem = "shape=1x1x1x2x1 layout=bhsd+dkey/sparse pass=forward+backward",
     .kernel =
         [] { return tampered_backward_kernel("key_gradient_offsets_in_31_bits", key_gradient_offsets_in_31_bits); },
     .twin = tiled_twin},
    {.name = "dout_scaled_in_place",
     .summary = "multiplies the scale into dO, in the memory of the caller",
     .property = "gradient_guards",
     .reason = "input-changed",
     .problem = "shape=1x1x1x1x2 pass=forward+backward",
     .kernel = [] { return tampered_backward_kernel("dout_scaled_in_place", dout_scaled_in_place); },
     .twin = tiled_twin},
    {.name = "dout_saturates",
     .summary = "saturates dout at 8, as a guard against overflow",
     .property = "gradient_scaled",
     .reason = "gradient-not-linear",
     .problem = "shape=1x1x1x2x2 pass=forward+backward",
     .kernel = [] { return tampered_backward_kernel("dout_saturates", dout_saturates); },
     .twin = tiled_twin},
    {.name = "gradients_of_first_call",
     .summary = "keeps its dV of the first call, whatever dO is in later ones",
     .source = "huggingface/diffusers #14265",
     .property = "gradient_sign",
     .reason = "gradient-not-linear",
     .problem = "shape=1x1x1x1x1 pass=forward+backward",
     .kernel = [] { return tampered_backward_kernel("gradients_of_first_call", gradients_of_first_call); },
     .twin = tiled_twin},
    {.name = "every_other_backward_call",
     .summary = "loses a last bit in every second call, as an addition that two threads make at once does",
     .source = "Dao-AILab/flash-attention #359",
     .property = "gradient_repeats",
     .reason = "not-repeatable",
     .problem = "shape=1x1x1x1x1 pass=forward+backward",
     .kernel = [] { return tampered_backward_kernel("every_other_backward_call", every_other_backward_call); },
     .twin = tiled_twin},
};

}  // namespace
}  // namespace attestone::inline mutants
