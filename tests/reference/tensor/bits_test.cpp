// SPDX-License-Identifier: Apache-2.0
// Codes of every width lie behind each other, and writing one changes no bit of another.
#include "reference/tensor/bits.hpp"

#include <array>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace attestone {
namespace {

TEST(Bits, TheFirstCodeHasTheLowestBits) {
  std::array<std::byte, 3> memory{};
  write_code(memory.data(), 0, 4, 0x1);
  write_code(memory.data(), 1, 4, 0xE);
  EXPECT_EQ(std::to_integer<int>(memory[0]), 0xE1);
  write_code(memory.data(), 1, 6, 0b100001);  // bits 6 to 11
  EXPECT_EQ(std::to_integer<int>(memory[0]), 0b01'100001);
  EXPECT_EQ(std::to_integer<int>(memory[1]), 0b1000);
}

TEST(Bits, EveryWidthKeepsEveryCode) {
  std::mt19937_64 random(1);
  for (const int bits : {1, 3, 4, 6, 8, 12, 16, 32, 64}) {
    constexpr index count = 97;
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    std::vector<std::byte> memory(static_cast<std::size_t>((count * bits + 7) / 8), std::byte{0xA5});
    std::vector<std::uint64_t> codes(count);
    for (int round = 0; round < 1000; ++round) {
      const auto place = static_cast<index>(random() % count);
      write_code(memory.data(), place, bits, codes[static_cast<std::size_t>(place)] = random() & mask);
      if (round < 500) continue;
      for (index i = 0; i < count; ++i)
        if (codes[static_cast<std::size_t>(i)]) {
          ASSERT_EQ(read_code(memory.data(), i, bits), codes[static_cast<std::size_t>(i)]) << bits;
        }
    }
  }
}

}  // namespace
}  // namespace attestone
