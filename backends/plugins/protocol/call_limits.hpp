// SPDX-License-Identifier: Apache-2.0
// Limits on a call of an outside kernel, which is ended when it exceeds them.
#pragma once

#include "reference/shape.hpp"

namespace attestone::inline backends {

/// How long one call of an outside kernel may take, and how much memory its process.
struct CallLimits {
  double seconds = 60;
  index resident_bytes = half_of_memory();  ///< of the kernel's process, beside the tensors themselves

  /// Half of this machine's memory.
  static index half_of_memory();
};

}  // namespace attestone::inline backends
