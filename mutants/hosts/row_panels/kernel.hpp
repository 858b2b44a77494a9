// SPDX-License-Identifier: Apache-2.0
// The row-panel and the split-KV host as kernels.
#pragma once

#include <string>
#include <utility>

#include "mutants/hosts/door.hpp"

namespace attestone::inline mutants::row_panels {

/// A host is made for each call; what a fault keeps from call to call is its state, which belongs to the kernel.
template <class Host, class... State>
SharedKernel row_kernel(std::string name, State... state) {
  return door_kernel(
      std::move(name),
      {.forward = [state...](const attestone_args& args) { Host(state...).forward(args); },
       .backward = [state...](const attestone_args& args) { Host(state...).backward(args); },
       .backward_workspace = [state...](const attestone_args& args) { return Host(state...).workspace(args); },
       .limits = "dtypes=f32+f16+bf16",
       .numerics = std::string(Host::numerics)});
}

}  // namespace attestone::inline mutants::row_panels
