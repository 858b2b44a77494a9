// SPDX-License-Identifier: Apache-2.0
// A forward and a backward host of this room as a kernel: they live as long as it does, so that a mutant may keep
// something between calls.
#pragma once

#include <memory>
#include <string>

#include "mutants/hosts/door.hpp"
#include "mutants/hosts/one_sweep/call.hpp"

namespace attestone::inline mutants::one_sweep {

/// `numerics` as in attestone_description; empty for the default class.
template <class ForwardHost, class BackwardHost>
SharedKernel kernel(std::string name, const std::string& numerics = {}) {
  return door_kernel(
      std::move(name),
      {.forward = [host = std::make_shared<ForwardHost>()](const attestone_args& args) { host->run(Call(args)); },
       .backward = [host = std::make_shared<BackwardHost>()](const attestone_args& args) { host->run(Call(args)); },
       .limits = "dtypes=f32+f16+bf16 dropout=no subsets=no "
                 "layouts=bhsd+bshd+broadcast+packed_qkv+ragged+strided+transposed",
       .numerics = numerics});
}

}  // namespace attestone::inline mutants::one_sweep
