// SPDX-License-Identifier: Apache-2.0
// A kernel that computes the right answer and does something else that it should not.
#pragma once

#include <functional>
#include <string>

#include "backends/kernel.hpp"

namespace attestone {

/// The whole run of a tampered kernel: calls `honest.run` when it wants the right answer, and does its deed around it.
using Deed = std::function<void(const AnyKernel& honest, const Problem&, Arguments&)>;

/// The faultless tiled kernel with a deed: its declarations are those of the tiled kernel.
AnyKernel tampered_kernel(std::string name, Deed);

/// The same for the backward pass.
using BackwardDeed = std::function<void(const AnyKernel& honest, const Problem&, BackwardArguments&)>;
AnyKernel tampered_backward_kernel(std::string name, BackwardDeed);

}  // namespace attestone
