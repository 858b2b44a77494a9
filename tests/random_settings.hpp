// SPDX-License-Identifier: Apache-2.0
// Kernels and methods with random settings.
#pragma once

#include <string>
#include <vector>

#include "backends/setting.hpp"

namespace attestone {

/// Tiles of one element, of primes, of powers of two; of words any.
template <class Random>
std::string random_value(const Setting& setting, Random& random) {
  static constexpr index sizes[] = {1, 2, 3, 4, 7, 8, 16, 24, 32, 64, 128};
  const std::vector<std::string>& words = setting.values.words;
  if (!words.empty()) return words[random() % words.size()];
  if (setting.name == "workers") return std::to_string(1 + random() % 3);
  if (setting.name == "flash_min_seq_length") return random() % 4 == 0 ? "24" : "0";
  return std::to_string(sizes[random() % std::size(sizes)]);
}

/// "flash:block_q=16:block_kv=7": the name with about half of its settings. Their values need not fit together.
template <class Random>
std::string with_random_settings(const std::string& name, const std::vector<Setting>& settings, Random& random) {
  std::string text = name;
  for (const Setting& setting : settings)
    if (random() % 2) text += ":" + std::string(setting.name) + "=" + random_value(setting, random);
  return text;
}

}  // namespace attestone
