// SPDX-License-Identifier: Apache-2.0
// A forward and a backward host of this room as a kernel.
#pragma once

#include <string>

#include "mutants/hosts/door.hpp"
#include "mutants/hosts/pipelines/problem.hpp"

namespace attestone::inline mutants::pipelines {

template <class ForwardHost, class BackwardHost>
SharedKernel kernel(std::string name, const std::string& numerics = {}) {
  return door_kernel(
      std::move(name),
      {.forward = [](const attestone_args& args) { ForwardHost::run(Problem(args)); },
       .backward = [](const attestone_args& args) { BackwardHost::run(Problem(args)); },
       .limits = "dtypes=f32+f16+bf16 layouts=bhsd+bshd+broadcast+packed_qkv+ragged+strided+transposed subsets=no",
       .numerics = numerics});
}

}  // namespace attestone::inline mutants::pipelines
