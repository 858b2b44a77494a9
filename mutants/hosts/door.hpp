// SPDX-License-Identifier: Apache-2.0
// A kernel that was written for the C door (backends/plugins/protocol/kernel.h), called in this process: mutants whose
// authors knew nothing of the machinery beside this.
#pragma once

#include <functional>
#include <string>

#include "backends/kernel.hpp"
#include "backends/plugins/protocol/kernel.h"

namespace attestone::inline mutants {

/// The functions and declarations that a library would export.
struct DoorFunctions {
  std::function<void(const attestone_args&)> forward;
  std::function<void(const attestone_args&)> backward = {};                    ///< empty: no gradients
  std::function<std::int64_t(const attestone_args&)> forward_workspace = {};   ///< bytes; empty: none
  std::function<std::int64_t(const attestone_args&)> backward_workspace = {};  ///< likewise
  std::string limits = {};       ///< as in attestone_description: what it takes
  std::string numerics = {};     ///< as there; empty: the default class
  std::string conventions = {};  ///< as there; empty: the rules
  /// Refuses what limits have no words for. What it takes it never refuses in the call.
  std::function<Support(const Problem&)> beyond_limits = {};
};

/// The declaration of kernels that round weights and dS to f32, whatever their input is.
inline constexpr const char* in_f32 = "weight_roundoff=0x1p-24 score_gradient_roundoff=0x1p-24";

/// The threads that such a kernel is told to use, whatever machine it runs on: what it does wrong with several does not
/// hide on one core.
inline constexpr int door_threads = 4;

/// Tensors are laid out as for a library, between pages whose bytes are looked at after the call; calls do not overlap.
SharedKernel door_kernel(std::string name, DoorFunctions);

}  // namespace attestone::inline mutants
