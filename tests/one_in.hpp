// SPDX-License-Identifier: Apache-2.0
// What a test draws by, and which part of many things it looks at.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/effort.hpp"

namespace attestone {

/// `in_ci`, or what ATTESTONE_SEED says: ./run nightly sets it to the date.
inline std::uint64_t seed(std::uint64_t in_ci = 1) {
  const char* set = std::getenv("ATTESTONE_SEED");
  return set ? std::strtoull(set, nullptr, 10) : in_ci;
}

/// In CI about one in `parts` of things that have names, drawn by the seed; at night each of them.
class OneIn {
 public:
  explicit OneIn(index parts) : parts_(static_cast<std::uint64_t>(effort(parts, 1))) {}

  bool holds(std::string_view name) const {
    std::uint64_t hash = 0xcbf29ce484222325u ^ seed();  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return (hash >> 32) % parts_ == 0;  // the low bits of FNV know little of the seed
  }
  bool is_all() const { return parts_ == 1; }

 private:
  std::uint64_t parts_;
};

}  // namespace attestone
