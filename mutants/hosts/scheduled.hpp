// SPDX-License-Identifier: Apache-2.0
// Kernels that choose something by the extents of the call, and declare that rows are independent of those.
#pragma once

#include <string>

#include "backends/changed_kernel.hpp"

namespace attestone::inline mutants {

/// The kernel, declaring that the bits of its rows are independent of this, and of nothing else.
SharedKernel declaring(const SharedKernel&, Invariance);

/// The usual keys per tile, and fewer.
constexpr index usual_tile = 16, small_tile = 8;

/// flash with so many keys per tile in either pass as a call's problem gets; it declares what flash does.
using TileOf = index (*)(const Problem&);
SharedKernel tile_chooser(std::string name, TileOf forward, TileOf backward);

/// The one that chooses the usual tile always.
SharedKernel tile_chooser_twin();

}  // namespace attestone::inline mutants
