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

/// A fifth of these cases, but at least one, in builds with sanitizers: any few of them reach the same code, and each
/// takes ten times as long.
constexpr index fewer_if_sanitized(index cases) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return (cases + 4) / 5;
#endif
#endif
  return cases;
}

}  // namespace attestone
