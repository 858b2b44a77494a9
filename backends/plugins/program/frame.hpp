// SPDX-License-Identifier: Apache-2.0
// Messages of the pipe (docs/plugins.md): eight bytes of size, then a safetensors file of that many bytes.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "reference/tensor/tensor.hpp"

namespace attestone::inline backends {

/// The contents of a message: texts by name, and packed tensors.
struct Frame {
  /// One packed tensor with its name.
  struct NamedBytes {
    std::string name, stored_dtype;
    std::vector<index> shape;
    std::vector<std::byte> bytes;
  };
  std::map<std::string, std::string> texts;
  std::vector<NamedBytes> tensors;

  /// Adds the elements, packed in the order of their axes; an empty shape stands for the view's own extents.
  void add(const std::string& name, const ConstView&, std::vector<index> shape = {});

  /// The whole message, the size in front included.
  std::vector<std::byte> bytes() const;
};

constexpr std::size_t frame_size_bytes = 8;

/// The size that stands in front of a message.
std::uint64_t frame_size(std::span<const std::byte, frame_size_bytes>);

}  // namespace attestone::inline backends
