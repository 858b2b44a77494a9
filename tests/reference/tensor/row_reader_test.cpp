// SPDX-License-Identifier: Apache-2.0
// Whatever places and scales a tensor's elements, the one reader finds the number that was put there: against places,
// codes and products of the test's own.
#include "reference/tensor/row_reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <random>

#include "reference/tensor/scales.hpp"
#include "tests/test_name.hpp"

namespace attestone {
namespace {

using Random = std::mt19937_64;

index drawn(Random& random, index least, index most) {
  return std::uniform_int_distribution<index>(least, most)(random);
}

/// A tensor of random codes, and a second opinion about its elements.
struct Sample {
  Tensor tensor;
  int bits;
  std::function<index(index b, index h, index r, index c)> place;  ///< in codes, from the begin of the bytes
  std::function<double(std::uint64_t code)> number;
  std::function<double(index b, index h, index r, index c)> scale = [](index, index, index, index) { return 1; };

  std::uint64_t code(index b, index h, index r, index c) const {
    std::uint64_t code = 0;
    for (int bit = bits - 1; bit >= 0; --bit) {
      const auto at = static_cast<std::size_t>(place(b, h, r, c) * bits + bit);
      code = 2 * code + ((std::to_integer<unsigned>(tensor.bytes()[at / 8]) >> (at % 8)) & 1);
    }
    return code;
  }
};

void randomise(Tensor& tensor, Random& random) {
  for (std::byte& byte : tensor.bytes()) byte = static_cast<std::byte>(random());
}

double bf16_number(std::uint64_t code) { return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16); }

double e2m1_number(std::uint64_t code) {
  constexpr double sizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  return code < 8 ? sizes[code] : -sizes[code - 8];
}

constexpr index batch = 5, heads = 3, channels = 96;

Sample ragged(Random& random) {
  RowStarts starts{0};
  for (index b = 0; b < batch; ++b) starts.push_back(starts.back() + (b == 1 ? 0 : drawn(random, 1000, 2000)));
  Tensor tensor(dtype("bf16"), {batch, heads, 2000, channels}, {0, channels, heads * channels, 1}, starts);
  randomise(tensor, random);
  const auto place = [starts](index b, index h, index r, index c) {
    return ((starts[static_cast<std::size_t>(b)] + r) * heads + h) * channels + c;
  };
  return {std::move(tensor), 16, place, bf16_number};
}

/// Pages of 16 rows in a random order; some belong to nobody.
Pages random_pages(Random& random) {
  Pages pages{.rows_per_page = 16, .page_count = 700, .pages_per_sequence = 125, .table = {}, .rows = {}};
  std::vector<std::int32_t> order(static_cast<std::size_t>(pages.page_count));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  std::shuffle(order.begin(), order.end(), random);
  pages.table.assign(order.begin(), order.begin() + batch * pages.pages_per_sequence);
  for (index b = 0; b < batch; ++b) pages.rows.push_back(b == 1 ? 0 : drawn(random, 1000, 2000));
  return pages;
}

/// [page, row, head, channel]
Tensor paged_tensor(const DType& type, const Pages& pages) {
  return {type, {batch, heads, 2000, channels}, {16 * heads * channels, channels, heads * channels, 1}, pages};
}

index paged_place(const Pages& pages, index b, index h, index r, index c) {
  const index page = pages.table[static_cast<std::size_t>(b * 125 + r / 16)];
  return ((page * 16 + r % 16) * heads + h) * channels + c;
}

Sample paged(Random& random) {
  const Pages pages = random_pages(random);
  Tensor tensor = paged_tensor(dtype("bf16"), pages);
  randomise(tensor, random);
  const auto place = [pages](index b, index h, index r, index c) { return paged_place(pages, b, h, r, c); };
  return {std::move(tensor), 16, place, bf16_number};
}

/// Rows innermost: the channels of a row lie apart.
Sample transposed(Random& random) {
  constexpr index rows = 750;
  Tensor tensor(dtype("bf16"), {batch, heads, rows, channels}, {heads * channels * rows, channels * rows, 1, rows});
  randomise(tensor, random);
  const auto place = [](index b, index h, index r, index c) { return ((b * heads + h) * channels + c) * rows + r; };
  return {std::move(tensor), 16, place, bf16_number};
}

/// INT8 with an f32 scale for 64 rows and 40 channels: neither divides the extents.
Sample int8_by_blocks(Random& random) {
  constexpr Extents extents{batch, heads, 750, channels}, block{1, 1, 64, 40};
  Tensor tensor(dtype("int8"), extents);
  randomise(tensor, random);
  Tensor numbers(dtype("f32"), {batch, heads, 12, 3});
  std::vector<float> scales;
  std::uniform_real_distribution<float> between(0x1p-10f, 1);
  for (index i = 0; i < batch * heads * 12 * 3; ++i) scales.push_back(between(random));
  std::ranges::copy(std::as_bytes(std::span(scales)), numbers.bytes().begin());
  tensor.scale_by({block, numbers});
  const auto place = [](index b, index h, index r, index c) { return ((b * heads + h) * 750 + r) * channels + c; };
  const auto number = [](std::uint64_t code) { return static_cast<double>(static_cast<std::int8_t>(code)); };
  const auto scale = [scales](index b, index h, index r, index c) {
    return double{scales[static_cast<std::size_t>(((b * heads + h) * 12 + r / 64) * 3 + c / 40)]};
  };
  return {std::move(tensor), 8, place, number, scale};
}

/// E2M1 in pages with a power of two for 32 channels: MXFP4 in a paged cache.
Sample mxfp4_in_pages(Random& random) {
  const Pages pages = random_pages(random);
  Tensor tensor = paged_tensor(dtype("e2m1"), pages);
  randomise(tensor, random);
  Tensor numbers(dtype("e8m0"), {batch, heads, 2000, 3});
  randomise(numbers, random);
  const std::vector<std::byte> exponents(numbers.bytes().begin(), numbers.bytes().end());
  tensor.scale_by({{1, 1, 1, 32}, std::move(numbers)});
  const auto place = [pages](index b, index h, index r, index c) { return paged_place(pages, b, h, r, c); };
  const auto scale = [exponents](index b, index h, index r, index c) {
    const int code =
        std::to_integer<int>(exponents[static_cast<std::size_t>(((b * heads + h) * 2000 + r) * 3 + c / 32)]);
    return code == 255 ? std::nan("") : std::ldexp(1.0, code - 127);
  };
  return {std::move(tensor), 4, place, e2m1_number, scale};
}

bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b; }

struct Named {
  const char* name;
  Sample (*sample)(Random&);

  friend std::ostream& operator<<(std::ostream& out, const Named& named) { return out << named.name; }
};

class Reading : public testing::TestWithParam<Named> {};

TEST_P(Reading, FindsWhatWasPutThere) {
  Random random(7);
  const Sample sample = GetParam().sample(random);
  const ConstView view = sample.tensor.view();
  const RowReader reader(view);
  const std::vector<double> packed = packed_values(view);
  std::vector<double> row(channels);
  std::size_t at = 0;
  index seen = 0;
  for (index b = 0; b < batch; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < view.extents()[2]; ++r) {
        reader.read(b, h, r, row);
        for (index c = 0; c < channels; ++c, ++at) {
          const bool exists = r < view.rows(b);
          const double expected = exists ? sample.number(sample.code(b, h, r, c)) * sample.scale(b, h, r, c) : 0;
          ASSERT_TRUE(same(row[static_cast<std::size_t>(c)], expected)) << b << " " << h << " " << r << " " << c;
          ASSERT_TRUE(same(packed[at], expected)) << b << " " << h << " " << r << " " << c;
          if (exists) {
            ASSERT_TRUE(same(view.value(b, h, r, c), expected)) << b << " " << h << " " << r << " " << c;
          }
          seen += exists;
        }
      }
  EXPECT_GE(seen, 1'000'000);
  const Tensor copy = sample.tensor;
  EXPECT_TRUE(std::ranges::equal(packed_values(copy.view()), packed, same)) << "a copy has its pages and scales too";
}

INSTANTIATE_TEST_SUITE_P(Tensors, Reading,
                         testing::Values(Named{"ragged", ragged}, Named{"paged", paged},
                                         Named{"transposed", transposed}, Named{"int8_by_blocks", int8_by_blocks},
                                         Named{"mxfp4_in_pages", mxfp4_in_pages}),
                         by_parameter);

TEST(Scales, AreRefusedWhereAProductWouldBeRounded) {
  Tensor tensor(dtype("f64"), {1, 1, 1, 4});
  EXPECT_THROW(tensor.scale_by({{1, 1, 1, 4}, Tensor(dtype("bf16"), {1, 1, 1, 1})}), BrokenAssumption);
  Tensor narrow(dtype("int8"), {1, 1, 1, 4});
  EXPECT_NO_THROW(narrow.scale_by({{1, 1, 1, 4}, Tensor(dtype("f32"), {1, 1, 1, 1})}));
  EXPECT_THROW(narrow.scale_by({{1, 1, 1, 2}, Tensor(dtype("f32"), {1, 1, 1, 1})}), BrokenAssumption);
  EXPECT_THROW(narrow.view().set(0, 0, 0, 0, 1), BrokenAssumption);
}

TEST(Pages, NameOnlyPagesThatThereAre) {
  Pages pages{.rows_per_page = 2, .page_count = 2, .pages_per_sequence = 2, .table = {1, 7}, .rows = {2}};
  const auto made = [&] { return Tensor(dtype("f32"), {1, 1, 4, 1}, {2, 2, 1, 1}, pages); };
  const Tensor tensor = made();
  EXPECT_EQ(tensor.view().place(0, 0, 1, 0), 3);
  EXPECT_THROW(tensor.view().place(0, 0, 2, 0), BrokenAssumption) << "a row that does not exist";
  pages.rows = {3};
  EXPECT_THROW(made(), BrokenAssumption) << "page 7";
}

}  // namespace
}  // namespace attestone
