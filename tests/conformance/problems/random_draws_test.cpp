// SPDX-License-Identifier: Apache-2.0
// Draws of neighbours are those of their places, and normal numbers what Box and Muller say, on every instruction set.
#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>
#include <vector>

#include "conformance/problems/row_draws.hpp"
#include "conformance/problems/standard_normal.hpp"
#include "tests/one_target.hpp"

namespace attestone {
namespace {

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

TEST(RowDraws, AreThoseOfTheirPlaces) {
  for_each_target([] {
    std::mt19937 random(3);
    const auto word = [&] { return static_cast<std::uint32_t>(random()); };
    RowDraws draws;
    Draw::Place place{}, row{};
    std::uint64_t seed = 0;
    for (int run = 0; run < 400; ++run) {
      if (random() % 4 == 0) seed = std::uint64_t{word()} << 32 | word();
      place[random() % 4] = random() % 8 == 0 ? 0xFFFFFFF0 : word();
      if (random() % 3 > 0) draws.begin_row(row = place, random() % 130);
      index channel = random() % 100;
      for (std::uint32_t i = word() % 50; i > 0; --i, ++channel) {
        const Draw alone(seed, {row[0] + static_cast<std::uint32_t>(channel), row[1], row[2], row[3]});
        if (random() % 2 == 0) {
          ASSERT_EQ(bits(draws.normal_at(seed, channel)), bits(standard_normal(alone)));
        }
        for (int which = 0; which < 4; ++which) ASSERT_EQ(draws.at(seed, channel).word(which), alone.word(which));
        if (random() % 9 == 0) channel -= std::min<index>(channel, 20);
      }
    }
  });
}

TEST(StandardNormals, AreThoseOfBoxAndMuller) {
  constexpr std::size_t count = 20000;
  std::mt19937 random(4);
  std::vector<std::uint32_t> radii(count), angles(count);
  for (std::size_t i = 0; i < count; ++i) {
    radii[i] = static_cast<std::uint32_t>(random()) >> random() % 32;
    angles[i] = i < 64 ? static_cast<std::uint32_t>(i) << 26 : static_cast<std::uint32_t>(random());
  }
  radii[0] = 0, radii[1] = 0xFFFFFFFF;
  for_each_target([&] {
    std::vector<double> normals(count);
    standard_normals(radii, angles, normals);
    for (std::size_t i = 0; i < count; ++i) {
      const long double size = std::sqrt(-2 * std::log((radii[i] + 0.5L) / 0x1p32L));
      const long double exact = size * std::cos(2 * std::numbers::pi_v<long double> * angles[i] / 0x1p32L);
      ASSERT_LE(std::abs(static_cast<double>(normals[i] - exact)), 8 * 0x1p-53 * static_cast<double>(size)) << i;
    }
  });
}

TEST(StandardNormals, HaveTheSameBitsOnEveryMachine) {
  constexpr std::size_t count = 1000;
  std::vector<std::uint32_t> radii(count), angles(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Draw draw(5, {static_cast<std::uint32_t>(i), 0, 0, 0});
    radii[i] = draw.word(0), angles[i] = draw.word(1);
  }
  std::vector<double> first;
  for_each_target([&] {
    std::vector<double> normals(count);
    standard_normals(radii, angles, normals);
    if (first.empty()) first = normals;
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(bits(normals[i]), bits(first[i])) << i;
  });
}

}  // namespace
}  // namespace attestone
