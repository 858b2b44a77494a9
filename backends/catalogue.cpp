// SPDX-License-Identifier: Apache-2.0
// Making kernels from their text.
#include "backends/catalogue.hpp"

#include "reference/registry.hpp"
#include "reference/scanner.hpp"

namespace attestone::inline backends {

SharedKernel make_kernel(std::string_view text) {
  Scanner in(text);
  const std::string name = in.word("a kernel");
  const KernelEntry* entry = Registry<KernelEntry>::find(name);
  if (!entry) in.fail(0, "unknown kernel '" + name + "'", did_you_mean(name, Registry<KernelEntry>::names()));
  const Settings settings = read_settings(in, name, entry->settings);
  return entry->make(settings);
}

std::string kernel_text(const KernelEntry& entry, const Settings& settings) {
  return text_with_settings(entry.name, entry.settings, settings);
}

std::vector<SharedKernel> example_kernels() {
  std::vector<SharedKernel> all;
  for (const auto& [name, entry] : Registry<KernelEntry>::all())
    for (const std::string& text : with_examples(name, entry.examples)) all.push_back(make_kernel(text));
  return all;
}

}  // namespace attestone::inline backends
