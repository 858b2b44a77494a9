// SPDX-License-Identifier: Apache-2.0
// Packing and products of bf16 of every size that leaves a remainder, against plain loops, on every instruction set.
#include "backends/cpu/simd/bfloat16_pairs.hpp"

#include <bit>
#include <cmath>
#include <vector>

#include "backends/cpu/simd/bfloat16_instructions.hpp"
#include "backends/cpu/simd/codes.hpp"
#include "reference/dtypes/dtype.hpp"
#include "tests/backends/cpu/simd/panel_memory.hpp"

namespace attestone {
namespace {

constexpr index n = panel_queries;
constexpr index sizes[] = {1, 2, 3, 7, 8, 12, 13, 15, 16, 17, 31, 32, 33, 40, 48, 63, 64, 65, 77};

std::uint16_t code_of(float x) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16); }
float lower(std::uint32_t pair) { return decode_bf16(static_cast<std::uint16_t>(pair)); }
float upper(std::uint32_t pair) { return decode_bf16(static_cast<std::uint16_t>(pair >> 16)); }

TEST(Bfloat16Pairs, ProductsOfEverySize) {
  on_every_target([](std::mt19937& random) {
    std::uniform_int_distribution<int> integer(-8, 8);
    for (const PairProducts how : {PairProducts::dots, PairProducts::tiles})
      for (const index rows : sizes)
        for (const index terms : {index{1}, index{33}, index{64}}) {
          const index products = padded_products(terms), stride = products + 3;
          std::vector<std::uint16_t> left(static_cast<std::size_t>(rows * stride), code_of(1));
          for (auto& code : left) code = code_of(static_cast<float>(integer(random)));
          PanelMemory panel(terms * n), out(rows * n), S(rows * n), largest(n);
          panel.set_integers(random), out.set_all(5), largest.set_all(-3);
          std::vector<std::uint32_t> pairs(static_cast<std::size_t>(products / 2 * n));
          panel_to_pairs(panel.data(), terms, pairs.data());
          add_pair_products(how, {left.data(), stride, 2}, rows, pairs.data(), products, out.data());
          score_pairs(how, {left.data(), stride}, rows, pairs.data(), products, 0.5f, S.data(), largest.data());
          for (index i = 0; i < n; ++i) {
            float top = -3;
            for (index row = 0; row < rows; ++row) {
              float sum = 0;
              for (index at = 0; at < terms; ++at)
                sum += decode_bf16(left[static_cast<std::size_t>(row * stride + at)]) * panel[at * n + i];
              ASSERT_EQ(out[row * n + i], sum + 5) << rows << " " << terms;
              ASSERT_EQ(S[row * n + i], sum / 2) << rows << " " << terms;
              top = std::max(top, sum / 2);
            }
            ASSERT_EQ(largest[i], top) << rows << " " << terms;
          }
        }
  });
}

TEST(Bfloat16Pairs, PassOverNanInTheMaximum) {
  on_every_target([](std::mt19937&) {
    constexpr index keys = 5;
    std::vector<std::uint16_t> K(keys * 32);
    for (index key = 0; key < keys; ++key) K[static_cast<std::size_t>(key * 32)] = code_of(static_cast<float>(key));
    K[3 * 32] = 0x7FC0;
    PanelMemory Q(n), S(keys * n), largest(n);
    Q.set_all(1), largest.set_all(-std::numeric_limits<float>::infinity());
    std::vector<std::uint32_t> pairs(16 * n);
    panel_to_pairs(Q.data(), 1, pairs.data());
    score_pairs(PairProducts::tiles, {K.data(), 32}, keys, pairs.data(), 32, 1, S.data(), largest.data());
    EXPECT_EQ(largest[n - 1], 4);
    EXPECT_TRUE(std::isnan(S[3 * n])) << "the score itself keeps it";
  });
}

/// Ties, neighbours of ties, the edges of the range, NaN that is only in the bits that are dropped.
std::vector<float> hard_to_round(std::mt19937& random) {
  std::vector<float> all;
  for (const std::uint32_t bits :
       {0x3F808000u, 0x3F818000u, 0x3F808001u, 0x3F817FFFu, 0xBF808000u, 0x7F7F8000u, 0x7F7F7FFFu, 0x7F800001u,
        0xFFFFFFFFu, 0x7F800000u, 0x007FFFFFu, 0x00800000u, 0x00808000u, 0x807FFFFFu, 0x80000000u, 0x00000001u})
    all.push_back(std::bit_cast<float>(bits));
  while (all.size() < 4096) all.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  return all;
}

TEST(Bfloat16Pairs, RoundToNearestAndFlush) {
  on_every_target([](std::mt19937& random) {
    const std::vector<float> numbers = hard_to_round(random);
    const auto rows = static_cast<index>(numbers.size()) / n;
    PanelMemory panel(rows * n);
    std::copy(numbers.begin(), numbers.end(), panel.data());
    std::vector<std::uint32_t> pairs(numbers.size() / 2), twins(pairs);
    panel_to_pairs(panel.data(), rows, pairs.data());
    pair_rows(panel.data(), rows, twins.data());
    ASSERT_EQ(pairs, twins) << "the instruction and its twin, NaN included";
    const DType& bf16 = dtype("bf16");
    for (index at = 0; at < rows * n; ++at) {
      const std::uint32_t pair = pairs[static_cast<std::size_t>(at / n / 2 * n + at % n)];
      const float got = at / n % 2 == 0 ? lower(pair) : upper(pair), x = panel[at];
      if (x != x) {
        ASSERT_TRUE(std::isnan(got));
      } else {
        const double want = std::fabs(x) < 0x1p-126f ? 0 : bf16.round(x);
        ASSERT_EQ(got, want) << x;
        ASSERT_EQ(std::signbit(got), std::signbit(x)) << x;
      }
    }
  });
}

TEST(Bfloat16Pairs, FillWithZeros) {
  on_every_target([](std::mt19937& random) {
    for (const index rows : sizes) {
      PanelMemory panel(rows * n);
      panel.set_integers(random);
      const index all = padded_products(rows);
      std::vector<std::uint32_t> pairs(static_cast<std::size_t>(all / 2 * n + 1), 0xDEADBEEF);
      panel_to_pairs(panel.data(), rows, pairs.data());
      EXPECT_EQ(pairs.back(), 0xDEADBEEF);
      for (index row = 0; row < all; ++row)
        for (index i = 0; i < n; ++i) {
          const std::uint32_t pair = pairs[static_cast<std::size_t>(row / 2 * n + i)];
          ASSERT_EQ(row % 2 == 0 ? lower(pair) : upper(pair), row < rows ? panel[row * n + i] : 0) << rows;
        }
    }
  });
}

TEST(Bfloat16Pairs, TransposeCodes) {
  on_every_target([](std::mt19937& random) {
    for (const index rows : sizes)
      for (const index channels : sizes) {
        const index stride = padded_products(rows) + 32, from_stride = channels + 5;
        std::vector<std::uint16_t> from(static_cast<std::size_t>(rows * from_stride));
        for (auto& code : from) code = static_cast<std::uint16_t>(random());
        std::vector<std::uint16_t> to(static_cast<std::size_t>(channels * stride + 1), 0xBEEF);
        transpose_codes({from.data(), from_stride}, rows, channels, to.data(), stride);
        EXPECT_EQ(to.back(), 0xBEEF);
        int top = 0;
        for (index row = 0; row < stride; ++row)
          for (index c = 0; c < channels; ++c) {
            const int want = row < rows ? from[static_cast<std::size_t>(row * from_stride + c)] : 0;
            ASSERT_EQ(to[static_cast<std::size_t>(c * stride + row)], want) << rows << " " << channels;
            top = std::max(top, want & magnitude_bits);
          }
        ASSERT_EQ(largest_magnitude(to.data(), channels * stride), top) << rows << " " << channels;
      }
  });
}

TEST(Bfloat16Pairs, ShuffleCodes) {
  on_every_target([](std::mt19937& random) {
    for (const index rows : sizes)
      for (const index channels : sizes) {
        const index from_stride = channels + 5, all = (rows + 1) / 2 * 2;
        std::vector<std::uint16_t> from(static_cast<std::size_t>(rows * from_stride));
        for (auto& code : from) code = static_cast<std::uint16_t>(random());
        std::vector<std::uint16_t> to(static_cast<std::size_t>(all * channels + 1), 0xBEEF);
        shuffle_codes({from.data(), from_stride}, rows, channels, to.data());
        EXPECT_EQ(to.back(), 0xBEEF);
        for (index row = 0; row < all; ++row)
          for (index c = 0; c < channels; ++c)
            ASSERT_EQ(to[static_cast<std::size_t>((row / 2 * channels + c) * 2 + row % 2)],
                      row < rows ? from[static_cast<std::size_t>(row * from_stride + c)] : 0)
                << rows << " " << channels;
      }
  });
}

TEST(Bfloat16Pairs, ShuffledColumnsGiveTheSumsOfRows) {
  on_every_target([](std::mt19937& random) {
    std::uniform_int_distribution<int> integer(-8, 8);
    for (const index rows : sizes)
      for (const index products : {index{2}, index{32}, index{66}}) {
        std::vector<std::uint16_t> columns(static_cast<std::size_t>(products * rows));
        for (auto& code : columns) code = code_of(static_cast<float>(integer(random)));
        std::vector<std::uint16_t> left(columns.size()), shuffled(columns.size());
        for (index row = 0; row < rows; ++row)
          for (index at = 0; at < products; ++at)
            left[static_cast<std::size_t>(row * products + at)] = columns[static_cast<std::size_t>(at * rows + row)];
        shuffle_codes({columns.data(), rows}, products, rows, shuffled.data());
        PanelMemory panel(products * n), of_rows(rows * n), of_columns(rows * n);
        panel.set_integers(random), of_rows.set_all(5), of_columns.set_all(5);
        std::vector<std::uint32_t> pairs(static_cast<std::size_t>((products / 2 + 16) * n));
        panel_to_pairs(panel.data(), products, pairs.data());
        const auto add = [&](PairedCodes codes, PanelMemory& out) {
          add_pair_products(PairProducts::dots, codes, rows, pairs.data(), products, out.data());
        };
        add({left.data(), products, 2}, of_rows), add({shuffled.data(), 2, 2 * rows}, of_columns);
        for (index i = 0; i < rows * n; ++i) ASSERT_EQ(of_rows[i], of_columns[i]) << rows << " " << products;
      }
  });
}

}  // namespace
}  // namespace attestone
