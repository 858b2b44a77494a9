// SPDX-License-Identifier: Apache-2.0
// Collecting them from the registries.
#include "conformance/rival_rules/correct_kernels.hpp"

#include <algorithm>

#include "backends/catalogue.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {

std::vector<SharedKernel> twins() {
  std::vector<SharedKernel> all;
  const auto add = [&](SharedKernel twin) {
    const bool known =
        std::ranges::any_of(all, [&](const SharedKernel& kernel) { return kernel->name() == twin->name(); });
    if (!known && !Registry<KernelEntry>::find(twin->name())) all.push_back(std::move(twin));
  };
  for (const auto& [name, mutant] : Registry<Mutant>::all()) add(mutant.twin());
  for (const auto& [name, twin] : Registry<Twin>::all()) add(twin.kernel());
  return all;
}

std::vector<SharedKernel> correct_kernels() {
  std::vector<SharedKernel> all = twins();
  for (SharedKernel& kernel : example_kernels()) all.push_back(std::move(kernel));
  return all;
}

}  // namespace attestone::inline conformance
