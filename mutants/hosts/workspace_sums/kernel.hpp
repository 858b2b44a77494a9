// SPDX-License-Identifier: Apache-2.0
// A forward and a backward host of this room as a kernel: they live as long as it does, so that a mutant may
// keep something between calls.
#pragma once

#include <memory>
#include <string>

#include "mutants/hosts/door.hpp"
#include "mutants/hosts/workspace_sums/common.hpp"

namespace attestone::inline mutants::workspace_sums {

/// `numerics` as in attestone_description; empty for the default class.
template <class ForwardHost, class BackwardHost>
SharedKernel kernel(std::string name, const std::string& numerics = {}) {
  const auto forward = std::make_shared<ForwardHost>();
  const auto backward = std::make_shared<BackwardHost>();
  return door_kernel(
      std::move(name),
      {.forward = [forward](const attestone_args& args) { forward->run(Call(args)); },
       .backward = [backward](const attestone_args& args) { backward->run(Call(args)); },
       .backward_workspace = [backward](const attestone_args& args) { return backward->workspace_bytes(Call(args)); },
       .limits = "dtypes=f32+f16+bf16 layouts=bhsd+bshd+broadcast+packed_qkv+ragged+strided+transposed subsets=no",
       .numerics = numerics});
}

}  // namespace attestone::inline mutants::workspace_sums
