// SPDX-License-Identifier: Apache-2.0
// Tensors of any format between the judge and its ranks, in the frames of the pipe: bytes, with a text that says what
// they are.
#pragma once

#include <string>

#include "backends/device.hpp"
#include "backends/distributed/messages/buffer.hpp"
#include "backends/plugins/program/frame.hpp"
#include "reference/files/safetensors.hpp"

namespace attestone::inline backends {

/// Adds the tensor's codes under a name, and its format and extents as the text of that name.
void add_tensor(Frame&, const std::string& name, const ConstView&);

/// The text of a name. KernelFault if there is none.
const std::string& demanded_text(const Safetensors&, const std::string& name);
bool has_tensor(const Safetensors&, const std::string& name);
/// The tensor that was added as a view of a buffer, on this device. KernelFault if there is none.
Buffer buffer_of(const Safetensors&, const std::string& name, Device&);
/// The named entry as a tensor.
Tensor tensor_of(const Safetensors&, const std::string& name);

/// "1 8 64 32"
std::string extents_text(const Extents&);
Extents read_extents(const std::string&);

}  // namespace attestone::inline backends
