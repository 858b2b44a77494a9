// SPDX-License-Identifier: Apache-2.0
// Rows that lose a mean before they become codes, bit for bit, against a second implementation in numpy.
#include "backends/cpu/quantization/coded_operand.hpp"

#include <fmt/format.h>

#include "reference/call/tensors.hpp"
#include "tests/effort.hpp"
#include "tests/smoothing_oracle.hpp"

namespace attestone {
namespace {

/// K of so many sequences of one head, each from its first row on.
Inputs packed(const ToldSmoothing& told) {
  Inputs inputs(parse_problem(fmt::format("shape={}x1x1x{}x{} dtype={}", told.lengths.size(),
                                          std::ranges::max(told.lengths), told.channels, told.format.name)));
  std::size_t at = 0;
  for (std::size_t b = 0; b < told.lengths.size(); ++b)
    for (index r = 0; r < told.lengths[b]; ++r)
      for (index c = 0; c < told.channels; ++c)
        inputs.key.view().set(static_cast<index>(b), 0, r, c, double{told.rows[at++]});
  return inputs;
}

void expect_agreement(const ToldSmoothing& told) {
  const Inputs inputs = packed(told);
  const auto length = [&](index batch) { return told.lengths[static_cast<std::size_t>(batch)]; };
  Device device;
  CodedOperand ours(device, std::ranges::max(told.lengths), told.channels, coding_of(told.codes));
  EXPECT_EQ(device.peak().bytes,
            CodedOperand::bytes(std::ranges::max(told.lengths), told.channels, coding_of(told.codes)));
  std::size_t at = 0;
  for (index b = 0; b < std::ssize(told.lengths); ++b) {
    if (told.codes.mean_of_batch) ours.average(inputs.key.view(), 0, length);
    ours.take(inputs.key.view(), b, 0, length(b));
    for (index r = 0; r < length(b); ++r)
      for (index c = 0; c < told.channels; ++c, ++at) {
        ASSERT_EQ(ours.mean(r)[c], told.mean[static_cast<std::size_t>(c)]) << told.name << c;
        ASSERT_EQ(ours.scale(r, c), told.scales[at]) << told.name << at;
        ASSERT_EQ(ours.numbers(r)[c], told.number(at)) << told.name << at << " of " << std::hexfloat << told.rows[at];
      }
  }
}

TEST(CodedOperand, LosesItsMeanAsNumpySays) {
  if (!has_python()) GTEST_SKIP() << "no .venv with the Python package ml_dtypes";
  for (index seed = 0; seed < effort(1, 100); ++seed) for_each_told_smoothing(seed, expect_agreement);
}

}  // namespace
}  // namespace attestone
