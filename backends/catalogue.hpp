// SPDX-License-Identifier: Apache-2.0
// The catalogue of kernels: every published name is one entry, made into a kernel by its settings.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kernel.hpp"

namespace attestone {

/// A setting of a kernel, as in "flash:block_q=64".
struct Setting {
  std::string_view name;
  index fallback;  ///< the value if it is not given
  index least;
  std::string_view meaning;
};

using Settings = std::map<std::string, index, std::less<>>;

/// A published kernel: one registered entry, in the file of the kernel itself.
struct KernelEntry {
  std::string_view name;
  std::string_view summary;
  std::vector<Setting> settings;
  /// Receives every setting of the list, with its value. Throws UserError for values that do not fit together.
  AnyKernel (*make)(const Settings&);
};

/// The kernel that a text names: "dense", "flash:block_q=64:block_kv=128". UserError with a caret otherwise.
AnyKernel make_kernel(std::string_view text);

/// "flash:block_q=64": the name with those settings that differ from their fallback.
std::string kernel_text(const KernelEntry&, const Settings&);

}  // namespace attestone
