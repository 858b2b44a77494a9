// SPDX-License-Identifier: Apache-2.0
// The block program and the producer-consumer host as kernels.
#pragma once

#include <string>

#include "conformance/mutants/fifth_batch/block_call.hpp"
#include "conformance/mutants/machinery/door.hpp"

namespace attestone::fifth_batch::blocks {

template <class Host>
SharedKernel block_kernel(std::string name) {
  return door_kernel(std::move(name), {.forward = [](const attestone_args& args) { Host::forward(Call(args)); },
                                       .backward = [](const attestone_args& args) { Host::backward(Call(args)); },
                                       .limits = "dtypes=f32+f16+bf16",
                                       .numerics = std::string(Host::numerics)});
}

}  // namespace attestone::fifth_batch::blocks
