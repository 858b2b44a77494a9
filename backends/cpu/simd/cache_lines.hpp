// SPDX-License-Identifier: Apache-2.0
// Memory that is read soon is fetched into a cache, line by line, so that nobody waits for it.
#pragma once

#include <cstddef>

#include "reference/shape.hpp"

namespace attestone::inline backends {

constexpr index cache_line_bytes = 64;

/// Caches, as __builtin_prefetch numbers them.
enum class Cache { first = 3, second = 2 };

template <Cache cache>
void fetch_line(const std::byte* of) {
  constexpr int for_reading = 0;
  __builtin_prefetch(of, for_reading, static_cast<int>(cache));
}

/// All lines of a row of so many bytes.
template <Cache cache>
void fetch_row(const std::byte* row, index bytes) {
  for (index at = 0; at < bytes; at += cache_line_bytes) fetch_line<cache>(row + at);
}

}  // namespace attestone::inline backends
