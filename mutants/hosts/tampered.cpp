// SPDX-License-Identifier: Apache-2.0
// The tiled kernel with a deed in place of a pass.
#include "mutants/hosts/tampered.hpp"

#include "mutants/hosts/tiled.hpp"

namespace attestone::inline mutants {

SharedKernel tampered_kernel(std::string name, KernelChanges::Forward deed) {
  return changed(tiled_twin(), {.name = std::move(name), .forward = std::move(deed)});
}

SharedKernel tampered_backward_kernel(std::string name, KernelChanges::Backward deed) {
  return changed(tiled_twin(), {.name = std::move(name), .backward = std::move(deed)});
}

}  // namespace attestone::inline mutants
