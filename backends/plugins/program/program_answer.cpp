// SPDX-License-Identifier: Apache-2.0
// Tensors of an answer: there, in the right format, of the right shape.
#include "backends/plugins/program/program_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backends/kernel_fault.hpp"

namespace attestone::inline backends {

std::string text_of(const Safetensors& answer, const std::string& name) {
  const auto text = answer.metadata().find(name);
  return text == answer.metadata().end() ? "" : text->second;
}

void copy_answer(const Safetensors& answer, const std::string& name, const View& to, const std::vector<index>& shape) {
  const auto found = answer.tensors().find(name);
  if (found == answer.tensors().end()) throw KernelFault("wrong-protocol", "its answer has no tensor " + name);
  const StoredTensor& tensor = found->second;
  if (const auto wanted = to.dtype().exchange.safetensors; tensor.stored_dtype != wanted)
    throw KernelFault("wrong-protocol", fmt::format("{} is {} instead of {}", name, tensor.stored_dtype, wanted));
  const bool right_shape = tensor.shape == shape || (tensor.bytes.empty() && element_count(to.extents()) == 0);
  if (!right_shape)
    throw KernelFault("wrong-protocol", fmt::format("{} has the shape [{}] instead of [{}]", name,
                                                    fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
  index place = 0;
  for_each_element(to, [&](index b, index h, index r, index c) {
    to.set_code(b, h, r, c, read_code(tensor.bytes.data(), place++, to.dtype().storage_bits()));
  });
}

}  // namespace attestone::inline backends
