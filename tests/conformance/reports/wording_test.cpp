// SPDX-License-Identifier: Apache-2.0
// Numbers as reports say them.
#include "conformance/reports/wording.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace attestone {
namespace {

TEST(Wording, AShareJustAboveOneIsNotOne) {
  EXPECT_EQ(share_text(1), "1");
  EXPECT_EQ(share_text(0.9996), "1");
  EXPECT_EQ(share_text(1.0004), "1.0004");
  EXPECT_EQ(share_text(2.3456), "2.35");
  EXPECT_EQ(share_text(std::numeric_limits<double>::infinity()), "more than 1e6");
}

}  // namespace
}  // namespace attestone
