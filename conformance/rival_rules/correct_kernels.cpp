// SPDX-License-Identifier: Apache-2.0
// Collecting them from the registries.
#include "conformance/rival_rules/correct_kernels.hpp"

#include <algorithm>

#include "backends/catalogue.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {

namespace {

/// Adds a kernel, unless one of its name is there.
void add(std::vector<SharedKernel>& all, SharedKernel added) {
  const auto is_it = [&](const SharedKernel& kernel) { return kernel->name() == added->name(); };
  if (std::ranges::none_of(all, is_it)) all.push_back(std::move(added));
}

}  // namespace

std::vector<SharedKernel> twins() {
  std::vector<SharedKernel> all;
  const auto add_twin = [&](SharedKernel twin) {
    if (!Registry<KernelEntry>::find(twin->name())) add(all, std::move(twin));
  };
  for (const auto& [name, mutant] : Registry<Mutant>::all()) add_twin(mutant.twin());
  for (const auto& [name, twin] : Registry<Twin>::all()) add_twin(twin.kernel());
  return all;
}

std::vector<SharedKernel> correct_kernels() {
  std::vector<SharedKernel> all = twins();
  for (SharedKernel& kernel : example_kernels()) add(all, std::move(kernel));
  return all;
}

}  // namespace attestone::inline conformance
