// SPDX-License-Identifier: Apache-2.0
// How much a random test does: a little in CI, a lot in ./run nightly.
#pragma once

#include <cstdlib>
#include <string_view>

#include "reference/shape.hpp"

namespace attestone {

/// `in_ci` cases, or `nightly` ones when ./run nightly has set ATTESTONE_EFFORT=nightly.
inline index effort(index in_ci, index nightly) {
  const char* chosen = std::getenv("ATTESTONE_EFFORT");
  return chosen && std::string_view(chosen) == "nightly" ? nightly : in_ci;
}

}  // namespace attestone
