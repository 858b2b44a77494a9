// SPDX-License-Identifier: Apache-2.0
// One kernel's answers, another one's declaration.
#include "mutants/hosts/claims.hpp"

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"

namespace attestone::inline mutants {

SharedKernel claiming(const std::string& name, const std::string& kernel, const std::string& claimed) {
  const SharedKernel declared = make_kernel(claimed);
  return changed(make_kernel(kernel), {.name = name, .numerics = [declared](const Problem& problem) {
                                         return declared->numerics(problem);
                                       }});
}

}  // namespace attestone::inline mutants
