// SPDX-License-Identifier: Apache-2.0
// The catalogue of kernels: every published name is one entry, made into a kernel by its settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/kernel.hpp"
#include "backends/setting.hpp"

namespace attestone::inline backends {

/// A published kernel: one registered entry, in the file of the kernel itself.
struct KernelEntry {
  std::string_view name;
  std::string_view summary;
  std::vector<Setting> settings;
  /// Settings worth judging beside the fallbacks: "block_q=7:block_kv=33". Together they move every setting, and use
  /// every word.
  std::vector<std::string> examples = {};
  /// Rejects values that do not fit together.
  SharedKernel (*make)(const Settings&);
};

/// The kernel that a text names: "dense", "flash:block_q=64:block_kv=128". UserError with a caret otherwise.
SharedKernel make_kernel(std::string_view text);

/// "flash:block_q=64": the name with those settings that differ from their fallback.
std::string kernel_text(const KernelEntry&, const Settings&);

/// Every kernel at its fallbacks, and with each of its examples.
std::vector<SharedKernel> example_kernels();

}  // namespace attestone::inline backends
