// SPDX-License-Identifier: Apache-2.0
// Reading what a program answered.
#pragma once

#include <string>
#include <vector>

#include "reference/files/safetensors.hpp"
#include "reference/tensor/tensor.hpp"

namespace attestone::inline backends {

constexpr std::uint64_t room_for_header = 1 << 20;

/// A text of the answer; empty if it has none of that name.
std::string text_of(const Safetensors& answer, const std::string& name);

/// Copies a tensor of the answer to where it belongs. KernelFault unless it is there, in the right format and shape.
void copy_answer(const Safetensors& answer, const std::string& name, const View& to, const std::vector<index>& shape);

}  // namespace attestone::inline backends
