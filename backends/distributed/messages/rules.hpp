// SPDX-License-Identifier: Apache-2.0
// The rules that a rank's program must keep.
#pragma once

#include "backends/kernel_fault.hpp"

namespace attestone::inline backends {

/// Stops a program that breaks a rule: its mistake, not ours.
inline void demand(bool kept, const char* rule) {
  if (!kept) throw KernelFault("broken-rule", rule);
}

}  // namespace attestone::inline backends
