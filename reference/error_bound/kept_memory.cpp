// SPDX-License-Identifier: Apache-2.0
// Blocks of powers of two, in a list for each size and thread.
#include "reference/error_bound/kept_memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

namespace attestone {
namespace {

// From 64 bytes to 64 KiB; of each size a thread keeps so many bytes at most.
constexpr int least_power = 6, most_power = 16;
constexpr std::size_t most_kept = 1 << 20;

struct Block {
  Block* next;
};

class KeptBlocks {
 public:
  ~KeptBlocks() {
    for (Size& size : sizes_)
      while (Block* block = size.first) size.first = block->next, ::operator delete(block);
    gone_ = true;
  }
  /// Null if none of that power of two is kept.
  void* take(int power) {
    Size& size = of(power);
    Block* const block = size.first;
    if (block) size.first = block->next, --size.count;
    return block;
  }
  /// False if enough are kept, or the thread ends.
  bool keep(void* memory, int power) {
    Size& size = of(power);
    if (gone_ || (size.count + 1) << power > most_kept) return false;
    size.first = new (memory) Block{size.first}, ++size.count;
    return true;
  }

 private:
  struct Size {
    Block* first = nullptr;
    std::size_t count = 0;
  };
  Size& of(int power) { return sizes_[static_cast<std::size_t>(power - least_power)]; }

  std::array<Size, most_power - least_power + 1> sizes_;
  bool gone_ = false;
};

thread_local KeptBlocks kept_blocks;

int power_of(std::size_t bytes) {
  return std::max(least_power, static_cast<int>(std::bit_width(bytes > 0 ? bytes - 1 : 0)));
}

}  // namespace

void* kept_block(std::size_t bytes) {
  const int power = power_of(bytes);
  if (power > most_power) return ::operator new(bytes);
  if (void* const block = kept_blocks.take(power)) return block;
  return ::operator new(std::size_t{1} << power);
}

void give_back(void* block, std::size_t bytes) noexcept {
  const int power = power_of(bytes);
  if (power > most_power || !kept_blocks.keep(block, power)) ::operator delete(block);
}

}  // namespace attestone
