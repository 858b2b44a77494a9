// SPDX-License-Identifier: Apache-2.0
// How much a random test does: a little in CI, a lot in ./run nightly, as much as docs/measurements.md claims in full.
#pragma once

#include <cstdlib>
#include <string_view>

#include "reference/shape.hpp"

namespace attestone {

/// `in_ci` cases, or `nightly` ones when ./run nightly has set ATTESTONE_EFFORT=nightly, or `full` ones when it is
/// full.
inline index effort(index in_ci, index nightly, index full) {
  const char* set = std::getenv("ATTESTONE_EFFORT");
  const std::string_view chosen = set ? set : "";
  return chosen == "full" ? full : chosen == "nightly" ? nightly : in_ci;
}

inline index effort(index in_ci, index nightly) { return effort(in_ci, nightly, nightly); }

}  // namespace attestone
