// SPDX-License-Identifier: Apache-2.0
// Memory for the lists of a row, which are many and short: what a thread gives back, it gets again.
#pragma once

#include <cstddef>
#include <vector>

namespace attestone {

/// A block of at least so many bytes; std::bad_alloc if there is none.
void* kept_block(std::size_t bytes);
/// Keeps a block of kept_block(bytes), of whatever thread, for the next that this thread asks for.
void give_back(void* block, std::size_t bytes) noexcept;

template <class T>
struct KeptMemory {
  using value_type = T;

  KeptMemory() = default;
  template <class U>
  KeptMemory(const KeptMemory<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(kept_block(count * sizeof(T))); }
  void deallocate(T* block, std::size_t count) noexcept { give_back(block, count * sizeof(T)); }
  bool operator==(const KeptMemory&) const { return true; }
};

/// A list of a row.
template <class T>
using RowList = std::vector<T, KeptMemory<T>>;

}  // namespace attestone
