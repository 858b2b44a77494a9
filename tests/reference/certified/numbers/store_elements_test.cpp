// SPDX-License-Identifier: Apache-2.0
// Elements that are stored are those of their arrays, each in its place, and what is open is told.
#include "reference/certified/numbers/store_elements.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "reference/certified/numbers/scratch.hpp"

namespace attestone {
namespace {

constexpr double open = std::numeric_limits<double>::quiet_NaN();

/// Three arrays in which no two numbers are equal.
struct Numbers {
  explicit Numbers(index count) {
    for (index i = 0; i < count; ++i) {
      value[static_cast<std::size_t>(i)] = static_cast<double>(i) + 0.25;
      bound[static_cast<std::size_t>(i)] = static_cast<double>(i) + 0.5;
      rounded[static_cast<std::size_t>(i)] = static_cast<double>(i) + 0.75;
    }
  }
  QuickDecisions all() const { return {value.get(), bound.get(), rounded.get()}; }
  void expect_at(const Certified& found, index i) const {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(found.value, value[at]);
    EXPECT_EQ(found.bound, bound[at]);
    EXPECT_EQ(found.rounded, rounded[at]);
    EXPECT_TRUE(found.decided);
    EXPECT_EQ(found.non_finite, NonFinite::wrong);
  }

  AlignedDoubles value = uninitialised_doubles(512), bound = uninitialised_doubles(512),
                 rounded = uninitialised_doubles(512);
};

/// The number after a row, which must stay as it is.
constexpr double untouched = -1;

std::vector<Certified> row_of(index count) {
  return std::vector<Certified>(static_cast<std::size_t>(count) + 1, Certified{untouched});
}

TEST(StoreElements, LanesBecomeRows) {
  for (const index count : {1, 3, 8, 20}) {
    const Numbers numbers(count * lanes_of_elements);
    std::array<std::vector<Certified>, lanes_of_elements> rows;
    std::array<Certified*, lanes_of_elements> to{};
    for (std::size_t lane = 0; lane < to.size(); ++lane) {
      rows[lane] = row_of(count);
      if (lane % 5 != 1) to[lane] = rows[lane].data();
    }
    EXPECT_EQ(store_lanes(numbers.all(), count, to), 0U);
    for (std::size_t lane = 0; lane < to.size(); ++lane) {
      for (index i = 0; to[lane] && i < count; ++i)
        numbers.expect_at(to[lane][i], i * lanes_of_elements + static_cast<index>(lane));
      EXPECT_EQ(rows[lane][to[lane] ? static_cast<std::size_t>(count) : 0].value, untouched);
    }
  }
}

TEST(StoreElements, OpenLanesAreTold) {
  for (const index lane : {0, 7, 8, 15}) {
    Numbers numbers(20 * lanes_of_elements);
    numbers.rounded[static_cast<std::size_t>(11 * lanes_of_elements + lane)] = open;
    std::vector<Certified> row = row_of(20);
    std::array<Certified*, lanes_of_elements> to{};
    EXPECT_EQ(store_lanes(numbers.all(), 20, to), 0U) << "nobody asks for it";
    to[static_cast<std::size_t>(lane)] = row.data();
    EXPECT_EQ(store_lanes(numbers.all(), 20, to), std::uint32_t{1} << lane);
    EXPECT_EQ(store_lanes(numbers.all(), 11, to), 0U);
  }
}

TEST(StoreElements, Rows) {
  for (const index count : {1, 7, 8, 13, 16}) {
    Numbers numbers(24);
    std::vector<Certified> row = row_of(count);
    EXPECT_FALSE(store_row(numbers.all(), count, row.data()));
    for (index i = 0; i < count; ++i) numbers.expect_at(row[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(row.back().value, untouched);
    numbers.rounded[static_cast<std::size_t>(count)] = open;
    EXPECT_FALSE(store_row(numbers.all(), count, row.data())) << "what stands behind them does not matter";
    numbers.rounded[static_cast<std::size_t>(count - 1)] = open;
    EXPECT_TRUE(store_row(numbers.all(), count, row.data()));
  }
}

}  // namespace
}  // namespace attestone
