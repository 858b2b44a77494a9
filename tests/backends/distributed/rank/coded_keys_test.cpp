// SPDX-License-Identifier: Apache-2.0
// K and V as codes: within what is declared of them, which is reached; and what no code may change.
#include "backends/distributed/rank/coded_keys.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "tests/effort.hpp"

namespace attestone {
namespace {

constexpr index channels = 8;
constexpr double infinity = std::numeric_limits<double>::infinity();
using Row = std::vector<double>;

/// K of one head with these rows, and V of one number each.
KeyValue keys_of(Device& device, const DType& format, const std::vector<Row>& rows) {
  const auto count = static_cast<index>(rows.size());
  KeyValue keys(Buffer(device, "key", format, count, 1, channels), Buffer(device, "value", format, count, 1, 1));
  keys.clear();
  for (index row = 0; row < count; ++row)
    for (index c = 0; c < channels; ++c)
      keys.key.all().set(0, 0, row, c, rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(c)]);
  return keys;
}

Row row_of(const Buffer& rows, index row) {
  Row all;
  for (index c = 0; c < rows.channels(); ++c) all.push_back(rows.all().value(0, 0, row, c));
  return all;
}

/// Rows that were sent as codes, as they arrive in their own format.
struct Arrived {
  Arrived(const DType& format, const DType& of_rows, const std::vector<Row>& rows)
      : given(keys_of(device, of_rows, rows)),
        coded(encode(device, given, format)),
        arrived(decode(device, coded, of_rows, of_rows)) {}

  Row before(index row) const { return row_of(given.key, row); }
  Row after(index row) const { return row_of(arrived.key, row); }

  Device device;
  KeyValue given;
  CodedKeys coded;
  KeyValue arrived;
};

const char* const formats[] = {"int8", "e4m3"};
const char* const of_rows[] = {"f32", "f16", "bf16"};

/// Normal numbers of this size.
std::vector<Row> random_rows(std::mt19937& random, index count, double size) {
  std::normal_distribution<double> normal;
  std::vector<Row> rows(static_cast<std::size_t>(count), Row(channels));
  for (Row& row : rows)
    for (double& x : row) x = size * normal(random);
  return rows;
}

TEST(CodedKeys, ErrAsDeclared) {
  std::mt19937 random(1);
  for (const char* format : formats)
    for (const char* own : of_rows)
      for (const double size : {1.0, 0x1p-10, 0x1p-20, 0x1p-130, 0x1p-146, 0x1p10}) {
        const Arrived rows(dtype(format), dtype(own), random_rows(random, effort(500, 20000), size));
        const RowCast cast = error_of_coding(dtype(format), dtype(own));
        double most = 0;
        for (index row = 0; row < rows.given.key.rows(); ++row) {
          const Row before = rows.before(row), after = rows.after(row);
          double largest = 0;
          for (const double x : before) largest = std::max(largest, std::abs(x));
          if (!std::isfinite(largest)) continue;
          for (std::size_t c = 0; c < before.size(); ++c) {
            const double error = std::abs(after[c] - before[c]), x = std::abs(before[c]);
            if (error == 0) continue;
            most = std::max(most, error / (cast.roundoff * x + cast.of_largest * largest + cast.underflow));
          }
        }
        EXPECT_LE(most, 1) << format << " of " << own << ", " << size;
        if (size == 1) {
          EXPECT_GE(most, 0.7) << format << " of " << own;
        }
      }
}

TEST(CodedKeys, OfZerosAndOfTheLargestAreExact) {
  for (const char* format : formats) {
    const Arrived rows(dtype(format), dtype("bf16"), {Row(channels, 0), {0, 3, -3, 0, 0, 0, 0, 0}});
    EXPECT_EQ(rows.after(0), Row(channels, 0));
    EXPECT_EQ(rows.after(1), (Row{0, 3, -3, 0, 0, 0, 0, 0}));
  }
}

/// Rows that were coded once lie on the grid already.
TEST(CodedKeys, OfCodedRowsAreTheSame) {
  std::mt19937 random(2);
  for (const char* format : formats) {
    Arrived once(dtype(format), dtype("f32"), random_rows(random, 200, 1));
    const CodedKeys again = encode(once.device, once.arrived, dtype(format));
    for (index row = 0; row < 200; ++row) EXPECT_EQ(row_of(again.codes.key, row), row_of(once.coded.codes.key, row));
  }
}

TEST(CodedKeys, OfPowersOfTwoHaveTheSameCodes) {
  std::mt19937 random(3);
  std::vector<Row> rows = random_rows(random, 100, 1);
  for (const char* format : formats) {
    const Arrived one(dtype(format), dtype("f32"), rows);
    std::vector<Row> scaled = rows;
    for (Row& row : scaled)
      for (double& x : row) x *= 0x1p7;
    const Arrived other(dtype(format), dtype("f32"), scaled);
    for (index row = 0; row < 100; ++row)
      EXPECT_EQ(row_of(one.coded.codes.key, row), row_of(other.coded.codes.key, row));
  }
}

/// Ties go to even codes: 63.5 and 62.5 of 127.
TEST(CodedKeys, AreRoundedToEven) {
  const Arrived rows(dtype("int8"), dtype("f32"), {{127, 63.5, 62.5, -63.5, -62.5, 0.5, 1.5, -127}});
  EXPECT_EQ(row_of(rows.coded.codes.key, 0), (Row{127, 64, 62, -64, -62, 0, 2, -127}));
}

/// NaN and infinities arrive where they were; what else stood in their row is NaN, and other rows are not touched.
TEST(CodedKeys, KeepWhatIsNotFinite) {
  for (const char* format : formats) {
    const Row finite{1, 2, 3, 4, 5, 6, 7, 8};
    const Arrived rows(dtype(format), dtype("f32"), {{1, infinity, -infinity, NAN, 0, 2, 3, 4}, finite});
    const Row arrived = rows.after(0);
    EXPECT_EQ(arrived[1], infinity);
    EXPECT_EQ(arrived[2], -infinity);
    for (const std::size_t c : {0, 3, 4, 5, 6, 7}) EXPECT_TRUE(std::isnan(arrived[c]));
    for (const double x : rows.after(1)) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST(CodedKeys, TakeAByteANumberAndAScaleARow) {
  const Arrived rows(dtype("int8"), dtype("f32"), std::vector<Row>(5, Row(channels, 1)));
  EXPECT_EQ(rows.coded.codes.key.bytes() + rows.coded.codes.value.bytes(), 5 * (channels + 1));
  EXPECT_EQ(rows.coded.scales.key.bytes() + rows.coded.scales.value.bytes(), 2 * 5 * 4);
}

}  // namespace
}  // namespace attestone
