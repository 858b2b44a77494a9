// SPDX-License-Identifier: Apache-2.0
// Memory behind a file.
#pragma once

#include <unistd.h>
#include <vector>

namespace hostile {

/// Writes 600 MB into a file.
inline void fill(int file) {
  const std::vector<char> piece(1 << 20, 1);
  for (int i = 0; i < 600; ++i) static_cast<void>(!write(file, piece.data(), piece.size()));
}

}  // namespace hostile
