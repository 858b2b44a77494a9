// SPDX-License-Identifier: Apache-2.0
// A published kernel with random settings that fit together.
#pragma once

#include <random>
#include <string>

#include "backends/catalogue.hpp"
#include "reference/registry.hpp"
#include "reference/user_error.hpp"
#include "tests/random_settings.hpp"

namespace attestone {

/// The kernel's text, as in "flash:block_q=16:block_kv=7". Always the same for the same name and seed.
inline std::string random_kernel(const std::string& name, unsigned seed) {
  const KernelEntry& entry = *Registry<KernelEntry>::find(name);
  std::mt19937 random(seed);
  while (true) {
    const std::string text = with_random_settings(name, entry.settings, random);
    try {
      make_kernel(text);
      return text;
    } catch (const UserError&) {
      // Such values do not fit together: others are drawn.
    }
  }
}

}  // namespace attestone
