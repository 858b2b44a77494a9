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

TEST(Wording, SaysWhatWouldPassAsItIsTyped) {
  EXPECT_EQ(
      would_pass_text({{"stores scores in f16", "takes logarithms"}, "score_roundoff=0x1p-11 log_error=1", 9}),
      "would pass with --declare='score_roundoff=0x1p-11 log_error=1': stores scores in f16, and takes logarithms "
      "(9 answers are within those bounds)");
  EXPECT_EQ(would_pass_text({}),
            "no roundoff or error that could be declared, up to 1/8, explains it by itself (0 answers)");
}

}  // namespace
}  // namespace attestone
