// SPDX-License-Identifier: Apache-2.0
// Packing tensors as bytes, and reading them back.
#include "backends/distributed/worlds/processes/frame_tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

#include "backends/distributed/messages/message.hpp"
#include "backends/kernel_fault.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

/// The facts in the text of a tensor.
struct Described {
  const DType& dtype;
  Extents extents;
};

Described described(const Safetensors& frame, const std::string& name) {
  const std::string& text = demanded_text(frame, name);
  const std::size_t space = text.find(' ');
  const DType* const format = Registry<DType>::find(text.substr(0, space));
  if (!format || space == std::string::npos || !has_tensor(frame, name))
    throw KernelFault("wrong-protocol", fmt::format("'{}' says nothing of the tensor {}", text, name));
  return {*format, read_extents(text.substr(space))};
}

void unpack_into(const Safetensors& frame, const std::string& name, const View& view) {
  const std::span<const std::byte> bytes = frame.tensor(name).bytes;
  if (std::ssize(bytes) != view.dtype().bytes(element_count(view.extents())))
    throw KernelFault("wrong-protocol", fmt::format("the tensor {} has {} bytes", name, bytes.size()));
  unpack(bytes, {&view, 1});
}

}  // namespace

std::string extents_text(const Extents& extents) { return fmt::format("{}", fmt::join(extents, " ")); }

Extents read_extents(const std::string& text) {
  std::istringstream in(text);
  Extents extents{};
  for (index& extent : extents) in >> extent;
  if (!in) throw KernelFault("wrong-protocol", fmt::format("'{}' are no extents", text));
  return extents;
}

void add_tensor(Frame& frame, const std::string& name, const ConstView& view) {
  std::vector<std::byte> bytes = packed({&view, 1});
  frame.texts[name] = fmt::format("{} {}", view.dtype().name, extents_text(view.extents()));
  frame.tensors.push_back({name, "U8", {std::ssize(bytes)}, std::move(bytes)});
}

const std::string& demanded_text(const Safetensors& frame, const std::string& name) {
  const auto text = frame.metadata().find(name);
  if (text == frame.metadata().end()) throw KernelFault("wrong-protocol", "there is no text " + name);
  return text->second;
}

bool has_tensor(const Safetensors& frame, const std::string& name) {
  return frame.tensors().find(name) != frame.tensors().end();
}

Buffer buffer_of(const Safetensors& frame, const std::string& name, Device& device) {
  const auto [dtype, extents] = described(frame, name);
  const auto& [one, heads, rows, channels] = extents;
  Buffer buffer(device, name, dtype, one * rows, heads, channels);
  unpack_into(frame, name, buffer.all());
  return buffer;
}

Tensor tensor_of(const Safetensors& frame, const std::string& name) {
  const auto [dtype, extents] = described(frame, name);
  Tensor tensor(dtype, extents);
  unpack_into(frame, name, tensor.view());
  return tensor;
}

}  // namespace attestone::inline backends
