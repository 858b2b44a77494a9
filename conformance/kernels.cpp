// SPDX-License-Identifier: Apache-2.0
// Looking up kernels among the published and the wrong ones.
#include "conformance/kernels.hpp"

#include "backends/catalogue.hpp"
#include "conformance/mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone {

AnyKernel find_kernel(const std::string& text) {
  if (const Mutant* mutant = Registry<Mutant>::find(text)) return mutant->kernel();
  return make_kernel(text);
}

}  // namespace attestone
