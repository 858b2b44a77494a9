// SPDX-License-Identifier: Apache-2.0
// A published kernel with random settings that fit together.
#pragma once

#include <random>
#include <string>

#include "backends/catalogue.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"

namespace attestone {

/// Tiles of one element, of primes, of powers of two; of words any.
inline std::string random_value(const Setting& setting, std::mt19937& random) {
  static constexpr index sizes[] = {1, 2, 3, 4, 7, 8, 16, 24, 32, 64, 128};
  const std::vector<std::string>& words = setting.values.words;
  if (!words.empty()) return words[random() % words.size()];
  if (setting.name == "workers") return std::to_string(1 + random() % 3);
  if (setting.name == "flash_min_seq_length") return random() % 4 == 0 ? "24" : "0";
  return std::to_string(sizes[random() % std::size(sizes)]);
}

/// The kernel's text, as in "flash:block_q=16:block_kv=7". Always the same for the same name and seed.
inline std::string random_kernel(const std::string& name, unsigned seed) {
  const KernelEntry& entry = *Registry<KernelEntry>::find(name);
  std::mt19937 random(seed);
  while (true) {
    std::string text = name;
    for (const Setting& setting : entry.settings)
      if (random() % 2) text += ":" + std::string(setting.name) + "=" + random_value(setting, random);
    try {
      make_kernel(text);
      return text;
    } catch (const UserError&) {
      // Such values do not fit together: others are drawn.
    }
  }
}

}  // namespace attestone
