// SPDX-License-Identifier: Apache-2.0
// Counting the memory a kernel takes.
#include "backends/workspace.hpp"

#include "reference/require.hpp"

namespace attestone {

void Workspace::take(index bytes) {
  const std::lock_guard lock(mutex_);
  live_ += bytes;
  peak_ = std::max(peak_, live_);
}

void Workspace::give_back(index bytes) {
  const std::lock_guard lock(mutex_);
  live_ -= bytes;
  require(live_ >= 0, "a kernel gives back what it took, once");
}

}  // namespace attestone
