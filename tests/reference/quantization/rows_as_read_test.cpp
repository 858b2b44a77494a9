// SPDX-License-Identifier: Apache-2.0
// What a judge takes codes for, against a second implementation in numpy; and means, and rows that are not finite.
#include "reference/quantization/rows_as_read.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

#include "reference/files/safetensors.hpp"
#include "tests/effort.hpp"
#include "tests/python_oracle.hpp"

namespace attestone {
namespace {

struct NamedRule {
  const char* name;
  CodeRule rule;
};
constexpr NamedRule rules[] = {
    {"int8_block", CodeRule::int8_block},
    {"int8_thread", CodeRule::int8_thread},
    {"int4_thread", CodeRule::int4_thread},
    {"int8_cuda", CodeRule::int8_cuda},
    {"e4m3", CodeRule::e4m3},
    {"e4m3_2.25", CodeRule::e4m3_small},
    {"nvfp4", CodeRule::nvfp4},
    {"mxfp4", CodeRule::mxfp4},
    {"mxfp8", CodeRule::mxfp8},
};

struct NamedSharing {
  const char* name;
  ScaleSharing sharing;
  index count;
};
constexpr NamedSharing sharings[] = {
    {"tensor", ScaleSharing::head, 1},
    {"token", ScaleSharing::rows, 1},
    {"block64", ScaleSharing::rows, 64},
    {"block128", ScaleSharing::rows, 128},
    {"query_thread16", ScaleSharing::query_thread, 16},
    {"query_thread32", ScaleSharing::query_thread, 32},
    {"key_thread64", ScaleSharing::key_thread, 64},
    {"key_thread128", ScaleSharing::key_thread, 128},
    {"channel", ScaleSharing::channel, 1},
    {"sixteen", ScaleSharing::channels, 16},
    {"thirty_two", ScaleSharing::channels, 32},
};

std::vector<double> numbers(const StoredTensor& tensor) {
  std::vector<float> all(tensor.bytes.size() / sizeof(float));
  std::memcpy(all.data(), tensor.bytes.data(), tensor.bytes.size());
  return {all.begin(), all.end()};
}

TEST(RowsAsRead, AreWhatNumpySays) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package ml_dtypes";
  for (index seed = 0; seed < effort(1, 100); ++seed) {
    const ScratchFolder folder;
    ask_oracle("backends/cpu/quantized/quantizer_oracle.py", folder, std::to_string(seed));
    const Safetensors told = read_safetensors(folder / "codes.safetensors");
    for (const auto& [rule_name, rule] : rules) {
      int asked = 0;
      for (const auto& [sharing_name, sharing, count] : sharings) {
        const std::string name = std::string(rule_name) + "." + sharing_name;
        if (!told.tensors().contains(name + ".rows")) continue;
        ++asked;
        const std::vector<double> rows = numbers(told.tensor(name + ".rows")),
                                  codes = numbers(told.tensor(name + ".numbers")),
                                  scales = numbers(told.tensor(name + ".scales"));
        const RowsAsRead ours = rows_as_read(rows, told.tensor(name + ".rows").shape[1],
                                             {rule, sharing, count, Centring::none}, dtype("f32"), 1);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          if (std::isnan(ours.numbers[i]) && !std::isfinite(rows[i])) continue;  // nothing is said of its group
          if (rows[i] == 0 && std::isnan(codes[i])) {                            // the source's 0 times infinity
            ASSERT_TRUE(ours.numbers[i] == 0 || std::isnan(ours.numbers[i])) << name << " " << i;
            continue;
          }
          if (std::isnan(ours.numbers[i])) {  // another number of the group is not finite
            ASSERT_FALSE(std::ranges::all_of(rows, [](double x) { return std::isfinite(x); })) << name << " " << i;
            continue;
          }
          ASSERT_EQ(ours.numbers[i], codes[i] * scales[i]) << name << " " << i << ", of " << std::hexfloat << rows[i];
        }
      }
      EXPECT_GT(asked, 0) << rule_name;
    }
  }
}

OperandCodes by_rows(Centring centring, index count = 2) {
  return {CodeRule::int8_block, ScaleSharing::rows, count, centring};
}

/// The mean 128.50390625 is 129 in bf16, and 1.0078125 - 129 is -128 there.
TEST(RowsAsRead, LessTheirMean) {
  const std::vector<double> rows{1.0078125, 256};
  const RowsAsRead rounded = rows_as_read(rows, 1, by_rows(Centring::rounded, 1), dtype("bf16"), 1);
  const RowsAsRead in_f32 = rows_as_read(rows, 1, by_rows(Centring::in_f32, 1), dtype("bf16"), 1);
  EXPECT_EQ(rounded.mean, (std::vector<double>{129}));
  EXPECT_EQ(in_f32.mean, (std::vector<double>{129}));
  // One number to a scale: 127 steps, which are rounded to f32.
  EXPECT_NEAR(rounded.numbers[0], -128, 1e-5);
  EXPECT_NEAR(in_f32.numbers[0], -127.9921875, 1e-5);
  for (const RowsAsRead& read : {rounded, in_f32}) EXPECT_NEAR(read.numbers[1], 127, 1e-5);
}

TEST(RowsAsRead, AreMultipliedBefore) {
  const std::vector<double> rows{1, -3};
  const RowsAsRead read = rows_as_read(rows, 1, by_rows(Centring::none), dtype("f16"), 2.5);
  EXPECT_NEAR(read.numbers[1], -7.5, 1e-6);
  EXPECT_NEAR(read.numbers[0], 2.5, 7.5 / 254 + 1e-6);
}

/// A number that is not finite takes its group with it, and no other.
TEST(RowsAsRead, ThatAreNotFinite) {
  for (const double x : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const std::vector<double> rows{1, x, 2, 3};
    const RowsAsRead read = rows_as_read(rows, 1, by_rows(Centring::none), dtype("f32"), 1);
    EXPECT_TRUE(std::isnan(read.numbers[0]) && std::isnan(read.numbers[1]));
    EXPECT_TRUE(std::isfinite(read.numbers[2]) && std::isfinite(read.numbers[3]));
    const RowsAsRead centred = rows_as_read(rows, 1, by_rows(Centring::rounded), dtype("bf16"), 1);
    for (const double each : centred.numbers) EXPECT_TRUE(std::isnan(each));
  }
}

}  // namespace
}  // namespace attestone
