// SPDX-License-Identifier: Apache-2.0
// vpdpbusd and its twin against sums one by one, the extreme codes among them.
#include "backends/cpu/quantization/integer_rows.hpp"

#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <vector>

#include "tests/effort.hpp"

namespace attestone {
namespace {

/// Any code of eight bits, the ends often: their products are the largest, and those of -128 have no opposite.
float drawn_code(std::mt19937_64& random) {
  constexpr float ends[] = {-128, 127, -127, 0};
  const std::uint64_t draw = random();
  return draw % 3 == 0 ? ends[draw / 3 % 4] : static_cast<float>(static_cast<int>(draw / 3 % 256) - 128);
}

std::vector<float> drawn_codes(index count, std::mt19937_64& random) {
  std::vector<float> codes;
  for (index i = 0; i < count; ++i) codes.push_back(drawn_code(random));
  return codes;
}

TEST(IntegerRows, AreMultipliedExactly) {
  std::mt19937_64 random(20261128);
  for (index turn = 0; turn < effort(300, 20000); ++turn) {
    const index rows = 1 + static_cast<index>(random() % 70), channels = 1 + static_cast<index>(random() % 128);
    const index asked = 1 + static_cast<index>(random() % static_cast<std::uint64_t>(rows));
    const std::vector<float> codes = drawn_codes(rows * channels, random), row = drawn_codes(channels, random);
    Device device;
    IntegerRows integers(device, rows, channels);
    EXPECT_EQ(device.peak().bytes, IntegerRows::bytes(rows, channels));
    integers.take(codes.data(), rows);
    constexpr float untouched = 0.5f;
    std::vector<float> products(static_cast<std::size_t>(rows), untouched);
    integers.multiply(row.data(), asked, products.data());
    for (index r = 0; r < rows; ++r) {
      double sum = 0;
      for (index c = 0; c < channels; ++c)
        sum += double{row[static_cast<std::size_t>(c)]} * double{codes[static_cast<std::size_t>(r * channels + c)]};
      ASSERT_EQ(double{products[static_cast<std::size_t>(r)]}, r < asked ? sum : double{untouched})
          << "row " << r << " of " << rows << " of " << channels << " channels, turn " << turn;
    }
  }
}

/// The sums of rows are part of what both are given, so any will do.
TEST(IntegerProducts, AreWhatTheManualSays) {
  const bool is_there = machine_has_integer_dots();
  std::cout << (is_there ? "vpdpbusd is there\n" : "vpdpbusd is not there: the twin alone\n");
  std::mt19937_64 random(20261129);
  for (index turn = 0; turn < effort(300, 20000); ++turn) {
    const index rows = 16 * (1 + static_cast<index>(random() % 6)), quads = 1 + static_cast<index>(random() % 32);
    std::vector<std::uint32_t> codes(static_cast<std::size_t>(rows * quads));
    std::vector<std::int32_t> sums(static_cast<std::size_t>(rows)), want(sums), twin(sums), dots(sums);
    std::vector<std::int8_t> row(static_cast<std::size_t>(4 * quads));
    for (std::uint32_t& quad : codes) quad = static_cast<std::uint32_t>(random());
    for (std::int32_t& sum : sums) sum = static_cast<std::int32_t>(random() % 30000) - 15000;
    for (std::int8_t& code : row) code = static_cast<std::int8_t>(drawn_code(random));
    for (std::size_t r = 0; r < want.size(); ++r) {
      want[r] = -128 * sums[r];
      for (std::size_t c = 0; c < row.size(); ++c) {
        const std::uint32_t quad = codes[c / 4 * want.size() + r];
        want[r] += (row[c] + 128) * static_cast<std::int8_t>(quad >> c % 4 * 8 & 0xFF);
      }
    }
    const QuadRows all{codes.data(), sums.data(), rows, quads};
    multiply_integers_as_dots(row.data(), all, rows, twin.data());
    ASSERT_EQ(twin, want) << "turn " << turn;
    if (!is_there) continue;
    multiply_integers_by_dots(row.data(), all, rows, dots.data());
    ASSERT_EQ(dots, want) << "turn " << turn;
  }
}

}  // namespace
}  // namespace attestone
