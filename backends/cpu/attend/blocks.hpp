// SPDX-License-Identifier: Apache-2.0
// How large the tiles of a pass are.
#pragma once

#include "reference/shape.hpp"

namespace attestone::inline backends {

/// Block sizes of one pass: queries of a tile, keys that are loaded at a time, keys per step.
struct AttendBlocks {
  index queries, keys, compute;
};

}  // namespace attestone::inline backends
