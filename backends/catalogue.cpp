// SPDX-License-Identifier: Apache-2.0
// Making kernels from their text.
#include "backends/catalogue.hpp"

#include <fmt/format.h>

#include "reference/registry.hpp"
#include "reference/scanner.hpp"

namespace attestone {
namespace {

const Setting& find_setting(const Scanner& in, std::size_t begin, const KernelEntry& entry, const std::string& name) {
  std::vector<std::string> names;
  for (const Setting& setting : entry.settings) {
    if (setting.name == name) return setting;
    names.emplace_back(setting.name);
  }
  in.fail(begin, "kernel '" + std::string(entry.name) + "' has no setting '" + name + "'", did_you_mean(name, names));
}

}  // namespace

SharedKernel make_kernel(std::string_view text) {
  Scanner in(text);
  const std::string name = in.word("a kernel");
  const KernelEntry* entry = Registry<KernelEntry>::find(name);
  if (!entry) in.fail(0, "unknown kernel '" + name + "'", did_you_mean(name, Registry<KernelEntry>::names()));
  Settings settings(entry->settings);
  while (in.take(':')) {
    const std::size_t begin = in.position();
    const Setting& setting = find_setting(in, begin, *entry, in.word("a setting, as in block_q=64"));
    in.expect('=', "after the name of a setting");
    settings.take(setting, in);
  }
  if (!in.done()) in.fail(in.position(), "this does not belong to the kernel");
  return entry->make(settings);
}

std::string kernel_text(const KernelEntry& entry, const Settings& settings) {
  std::string text(entry.name);
  for (const Setting& setting : entry.settings)
    if (const std::string& value = settings.text(setting.name); value != setting.fallback)
      text += fmt::format(":{}={}", setting.name, value);
  return text;
}

}  // namespace attestone
