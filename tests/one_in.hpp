// SPDX-License-Identifier: Apache-2.0
// What a test draws by, and which part of many things it looks at.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>

#include "tests/effort.hpp"

namespace attestone {

/// `in_ci`, or what ATTESTONE_SEED says: ./run nightly sets it to the date.
inline std::uint64_t seed(std::uint64_t in_ci = 1) {
  const char* set = std::getenv("ATTESTONE_SEED");
  return set ? std::strtoull(set, nullptr, 10) : in_ci;
}

/// In CI about one in `parts` of things that have names, drawn by the seed; at night each of them. The test fails if
/// none is drawn from so many that some should be.
class OneIn {
 public:
  explicit OneIn(index parts) : parts_(static_cast<std::uint64_t>(effort(parts, 1))) {}
  ~OneIn() {
    constexpr std::uint64_t many = 8;  // the sample is empty by chance once in 3000 times
    if (held_ == 0 && asked_ >= many * parts_)
      ADD_FAILURE() << "none of " << asked_ << " things is drawn by seed " << seed();
  }
  OneIn(const OneIn&) = delete;
  OneIn& operator=(const OneIn&) = delete;

  bool holds(std::string_view name) const {
    const bool drawn = is_drawn(name);
    ++asked_;
    held_ += drawn;
    return drawn;
  }
  bool is_all() const { return parts_ == 1; }

 private:
  bool is_drawn(std::string_view name) const {
    std::uint64_t hash = 0xcbf29ce484222325u ^ seed();  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    for (int round = 0; round < 2; ++round) hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15u;  // names end alike
    return (hash >> 32) % parts_ == 0;
  }

  std::uint64_t parts_;
  mutable std::uint64_t asked_ = 0, held_ = 0;
};

}  // namespace attestone
