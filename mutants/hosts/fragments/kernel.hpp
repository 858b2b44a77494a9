// SPDX-License-Identifier: Apache-2.0
// A forward and a backward host of this room as a kernel.
#pragma once

#include <string>

#include "mutants/hosts/door.hpp"
#include "mutants/hosts/fragments/rules.hpp"

namespace attestone::inline mutants::fragments {

template <class ForwardHost, class BackwardHost>
SharedKernel kernel(std::string name) {
  return door_kernel(std::move(name), {.forward = [](const attestone_args& args) { ForwardHost(args).run(); },
                                       .backward = [](const attestone_args& args) { BackwardHost(args).run(); },
                                       .limits = "dtypes=f32+f16+bf16 subsets=no",
                                       .numerics = std::string(ForwardHost::numerics)});
}

}  // namespace attestone::inline mutants::fragments
