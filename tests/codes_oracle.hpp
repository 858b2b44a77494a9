// SPDX-License-Identifier: Apache-2.0
// What a numpy program by another author makes of rows by every rule, as numbers of codes and their scales.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "reference/files/safetensors.hpp"
#include "reference/numerics/operand_codes.hpp"
#include "tests/python_oracle.hpp"

namespace attestone {

/// Rows, and what they become.
struct ToldCodes {
  std::string name;  ///< of rule and sharing
  CodeRule rule;
  ScaleSharing sharing;
  index count;
  index channels;
  std::vector<float> rows, numbers, scales;  ///< element by element

  /// The number that a code should stand for. Where a quotient overflows, the source makes NaN of 0, and the largest
  /// number of the format of all else; we do not (docs/quantized.md).
  float number(std::size_t element) const {
    constexpr float small_target = 2.25f;
    if (rows[element] == 0) return 0;
    const float told = numbers[element];
    return rule == CodeRule::e4m3_small ? std::clamp(told, -small_target, small_target) : told;
  }
};

namespace codes_oracle {

struct NamedRule {
  const char* name;
  CodeRule rule;
};
inline constexpr NamedRule rules[] = {
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
inline constexpr NamedSharing sharings[] = {
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
    {"sixteen_rows", ScaleSharing::rows_of_channel, 16},
};

inline std::vector<float> floats(const StoredTensor& tensor) {
  std::vector<float> all(tensor.bytes.size() / sizeof(float));
  std::memcpy(all.data(), tensor.bytes.data(), tensor.bytes.size());
  return all;
}

/// The tensors that a program in the folder of the quantizers' tests writes into `file`, given this seed.
inline Safetensors told_by(const std::string& program, index seed, const std::string& file) {
  const ScratchFolder folder;
  ask_oracle("backends/cpu/quantization/" + program, folder, std::to_string(seed));
  return read_safetensors(folder / file);
}

}  // namespace codes_oracle

/// Asks the oracle, and calls visit(told) for each rule with each sharing that the oracle knows of it; each rule has
/// some.
template <class Visit>
void for_each_told(index seed, const Visit& visit) {
  const Safetensors told = codes_oracle::told_by("quantizer_oracle.py", seed, "codes.safetensors");
  for (const auto& [rule_name, rule] : codes_oracle::rules) {
    int asked = 0;
    for (const auto& [sharing_name, sharing, count] : codes_oracle::sharings) {
      const std::string name = std::string(rule_name) + "." + sharing_name;
      if (!told.tensors().contains(name + ".rows")) continue;
      ++asked;
      const StoredTensor& rows = told.tensor(name + ".rows");
      visit(ToldCodes{name, rule, sharing, count, rows.shape[1], codes_oracle::floats(rows),
                      codes_oracle::floats(told.tensor(name + ".numbers")),
                      codes_oracle::floats(told.tensor(name + ".scales"))});
    }
    EXPECT_GT(asked, 0) << rule_name;
  }
}

}  // namespace attestone
