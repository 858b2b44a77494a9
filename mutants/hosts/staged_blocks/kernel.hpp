// SPDX-License-Identifier: Apache-2.0
// The block program and the producer-consumer host as kernels.
#pragma once

#include <string>
#include <utility>

#include "mutants/hosts/door.hpp"
#include "mutants/hosts/staged_blocks/call.hpp"

namespace attestone::inline mutants::staged_blocks {

/// A host's two passes by one policy.
template <class Policy, template <class> class Forward, template <class> class Backward>
SharedKernel block_kernel(std::string name) {
  return door_kernel(std::move(name),
                     {.forward = [](const attestone_args& args) { Forward<Policy>::run(Call(args)); },
                      .backward = [](const attestone_args& args) { Backward<Policy>::run(Call(args)); },
                      .limits = "dtypes=f32+f16+bf16",
                      .numerics = std::string(Policy::numerics)});
}

}  // namespace attestone::inline mutants::staged_blocks
