// SPDX-License-Identifier: Apache-2.0
// Blocks of powers of two, in a list for each size and thread.
#include "reference/error_bound/kept_memory.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "reference/floating_point_environment.hpp"  // as all that proofs are about

namespace attestone {
namespace {

// From 64 bytes to 64 KiB; of each size a thread keeps so many bytes at most.
constexpr int least_power = 6, most_power = 16;
constexpr std::size_t most_kept = 1 << 20;

struct Block {
  Block* next;
};

/// Blocks of one size that nobody uses.
struct Kept {
  Block* first;
  std::size_t count;
};

/// Nothing is done at a thread's begin, so that to reach it costs nothing either.
struct KeptBlocks {
  Kept by_power[most_power - least_power + 1];
  bool are_freed_at_the_end, are_freed;
};
constinit thread_local KeptBlocks kept_blocks{};

/// Frees them when its thread ends. What is given back later is not kept.
struct Cleaner {
  ~Cleaner() {
    kept_blocks.are_freed = true;
    for (Kept& kept : kept_blocks.by_power)
      while (Block* const block = kept.first) kept.first = block->next, ::operator delete(block);
  }
  void watch() { kept_blocks.are_freed_at_the_end = true; }
};
thread_local Cleaner cleaner;

int power_of(std::size_t bytes) { return std::max(least_power, static_cast<int>(std::bit_width(bytes - 1))); }

Kept& kept_of(int power) { return kept_blocks.by_power[power - least_power]; }

}  // namespace

void* kept_block(std::size_t bytes) {
  const int power = power_of(std::max(bytes, std::size_t{1}));
  if (power > most_power) return ::operator new(bytes);
  Kept& kept = kept_of(power);
  if (!kept.first) return ::operator new (std::size_t{1} << power);
  Block* const block = kept.first;
  kept = {block->next, kept.count - 1};
  return block;
}

void give_back(void* memory, std::size_t bytes) noexcept {
  const int power = power_of(std::max(bytes, std::size_t{1}));
  if (power > most_power || kept_blocks.are_freed) return ::operator delete(memory);
  Kept& kept = kept_of(power);
  if ((kept.count + 1) << power > most_kept) return ::operator delete(memory);
  if (!kept_blocks.are_freed_at_the_end) cleaner.watch();
  kept = {new (memory) Block{kept.first}, kept.count + 1};
}

}  // namespace attestone
