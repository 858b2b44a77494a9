// SPDX-License-Identifier: Apache-2.0
// The other end of the pipe (docs/plugins.md): what a program answers whose kernel is one of ours.
#pragma once

#include "backends/kernel.hpp"
#include "backends/plugins/program/frame.hpp"
#include "reference/files/safetensors.hpp"

namespace attestone::inline backends {

/// The answer to one request: to `describe`, the kernel's name, its arithmetic by `like=NAME` where `known_as` says
/// that the catalogue has it, and its conventions; to `forward` and `backward`, tensors, computed from the texts
/// `problem` and `threads` and from the tensors of the request alone. What is wrong with a request, or with the kernel,
/// is the text `error`; what the kernel does not take is the text `refused`.
Frame answer_to(const Safetensors& request, const Kernel&, const std::string& known_as);

}  // namespace attestone::inline backends
