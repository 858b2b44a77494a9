// SPDX-License-Identifier: Apache-2.0
// A part of many things is about as large as was asked for, and a test that looks at none of them fails.
#include "tests/one_in.hpp"

#include <cstdlib>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

namespace attestone {
namespace {

/// How many of `count` things are drawn.
index drawn(const OneIn& part, index count) {
  index all = 0;
  for (index i = 0; i < count; ++i) all += part.holds("thing " + std::to_string(i));
  return all;
}

/// Sets ATTESTONE_SEED for as long as it lives.
class Seeded {
 public:
  explicit Seeded(index number) {
    if (const char* set = std::getenv("ATTESTONE_SEED")) before_ = set;
    setenv("ATTESTONE_SEED", std::to_string(number).c_str(), 1);
  }
  ~Seeded() { before_ ? setenv("ATTESTONE_SEED", before_->c_str(), 1) : unsetenv("ATTESTONE_SEED"); }
  Seeded(const Seeded&) = delete;
  Seeded& operator=(const Seeded&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(OneIn, DrawsAboutItsPartOfThingsWithSimilarNames) {
  for (const index number : {1, 2, 3, 4, 20261129}) {
    const Seeded seeded(number);
    const OneIn part(4);
    EXPECT_NEAR(static_cast<double>(drawn(part, 4000)), part.is_all() ? 4000 : 1000, 150) << number;
  }
}

/// A thing that is not drawn; empty at night, when each is.
std::string left_out(index parts) {
  const OneIn part(parts);
  for (index i = 0; !part.is_all() && i < 1000; ++i)
    if (const std::string name = "thing " + std::to_string(i); !part.holds(name)) return name;
  return "";
}

TEST(OneIn, FailsTheTestWhenItDrawsNone) {
  const std::string name = left_out(4);
  const auto ask = [&](index times) {
    const OneIn part(4);
    for (index i = 0; i < times; ++i) part.holds(name);
  };
  ask(31);  // too few to complain
  if (!name.empty()) EXPECT_NONFATAL_FAILURE(ask(32), "none of 32 things is drawn by seed");
}

}  // namespace
}  // namespace attestone
