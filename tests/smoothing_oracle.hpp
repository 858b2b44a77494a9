// SPDX-License-Identifier: Apache-2.0
// What a numpy program by another author, who had read SageAttention's source alone, makes of rows that lose a mean.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "reference/dtypes/dtype.hpp"
#include "tests/codes_oracle.hpp"

namespace attestone {

/// Rows of one head of some sequences, one behind the other, and what they become.
struct ToldSmoothing {
  std::string name;
  OperandCodes codes;
  const DType& format;
  index channels;
  std::vector<index> lengths;                      ///< of the sequences
  std::vector<float> rows, numbers, scales, mean;  ///< [rows, channels], the last one [channels]

  /// The number that a code should stand for: where the source divides by 0 and makes NaN of a number that is the mean,
  /// 0 (docs/quantized.md).
  float number(std::size_t element) const { return std::isnan(numbers[element]) ? 0 : numbers[element]; }
};

namespace smoothing_oracle {

inline OperandCodes codes_of(const std::string& kind) {
  if (kind == "f16") return {CodeRule::f16, ScaleSharing::channel, 1, Centring::rounded};
  OperandCodes codes{CodeRule::e4m3, ScaleSharing::channel, 1, Centring::whole_in_f32, 0, 16};
  if (kind == "varlen") codes = {CodeRule::int8_block, ScaleSharing::rows, 64, Centring::rounded, 0, 1, true};
  return codes;
}

}  // namespace smoothing_oracle

/// Asks the program, and calls visit(told) for each of its cases.
template <class Visit>
void for_each_told_smoothing(index seed, const Visit& visit) {
  const Safetensors told = codes_oracle::told_by("smoothing_oracle.py", seed, "smoothing.safetensors");
  for (const char* kind : {"fp8", "f16", "varlen"}) {
    constexpr int cases = 24;
    for (int n = 0; n < cases; ++n) {
      const std::string name = std::string(kind) + "." + std::to_string(n) + ".";
      const auto part = [&](const char* of) { return codes_oracle::floats(told.tensor(name + of)); };
      std::vector<index> lengths;
      for (const float length : part("lengths")) lengths.push_back(static_cast<index>(length));
      visit(ToldSmoothing{name, smoothing_oracle::codes_of(kind), dtype(part("bf16")[0] == 1 ? "bf16" : "f16"),
                          told.tensor(name + "rows").shape[1], lengths, part("rows"), part("numbers"), part("scales"),
                          part("mean")});
    }
  }
}

}  // namespace attestone
