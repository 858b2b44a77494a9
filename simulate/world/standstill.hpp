// SPDX-License-Identifier: Apache-2.0
// Nothing can happen any more: whether all is well, and if not, what went wrong and who waits for whom.
#pragma once

#include <optional>

#include "simulate/world/engine.hpp"

namespace attestone::inline simulate {

/// Nothing if every program has ended and has left nothing behind.
std::optional<KernelFault> standstill(const Engine&);

}  // namespace attestone::inline simulate
