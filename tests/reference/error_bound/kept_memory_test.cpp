// SPDX-License-Identifier: Apache-2.0
// Memory of rows: given back and got again, of any size, in any thread, whatever becomes of the thread.
#include "reference/error_bound/kept_memory.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <thread>

namespace attestone {
namespace {

TEST(KeptMemory, IsGotAgain) {
  void* const block = kept_block(100);
  give_back(block, 100);
  void* const again = kept_block(120);  // of the same power of two
  EXPECT_EQ(again, block);
  give_back(again, 120);
}

TEST(KeptMemory, IsNobodyElses) {
  std::set<std::uintptr_t> begins;
  std::vector<std::pair<char*, std::size_t>> blocks;
  for (std::size_t bytes = 0; bytes < 200'000; bytes = bytes * 3 / 2 + 1) {
    char* const block = static_cast<char*>(kept_block(bytes));
    std::fill_n(block, bytes, static_cast<char>(bytes));
    EXPECT_TRUE(begins.insert(reinterpret_cast<std::uintptr_t>(block)).second);
    blocks.emplace_back(block, bytes);
  }
  for (const auto& [block, bytes] : blocks) {
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], static_cast<char>(bytes));
    give_back(block, bytes);
  }
}

TEST(KeptMemory, OutlivesItsThread) {
  RowList<double> made_there;
  std::thread([&] {
    RowList<double> other(50, 2.0);
    made_there.assign(500, 1.0);
  }).join();
  EXPECT_EQ(std::accumulate(made_there.begin(), made_there.end(), 0.0), 500);
  std::thread([list = std::move(made_there)]() mutable { list = RowList<double>(7); }).join();
}

}  // namespace
}  // namespace attestone
