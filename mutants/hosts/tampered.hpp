// SPDX-License-Identifier: Apache-2.0
// A kernel that computes the right answer and does something else that it should not.
#pragma once

#include <string>

#include "backends/changed_kernel.hpp"

namespace attestone::inline mutants {

/// The faultless tiled kernel with a deed for its forward pass: it calls `honest.forward` when it wants the right
/// answer, and does its deed around it. All declarations are those of the tiled kernel.
SharedKernel tampered_kernel(std::string name, KernelChanges::Forward deed);

/// A kernel whose backward pass is changed.
SharedKernel tampered_backward_kernel(std::string name, KernelChanges::Backward deed);

}  // namespace attestone::inline mutants
