// SPDX-License-Identifier: Apache-2.0
// Where the normal range of a cast begins, whatever of it is declared.
#include "reference/error_bound/rounding.hpp"

#include <gtest/gtest.h>

#include "reference/numerics/declared_class.hpp"

namespace attestone {
namespace {

TEST(NormalRange, BeginsWhereRoundoffAndUnderflowMeet) {
  EXPECT_EQ(normal_from(gradual_cast(dtype("f16"))), 0x1p-14);
  EXPECT_EQ(normal_from(flushing_cast(dtype("f16"))), 0x1p-14);
  EXPECT_EQ(normal_from(flushing_cast(dtype("bf16"))), 0x1p-126);
  Cast cast = flushing_cast(dtype("bf16"));
  cast.roundoff = 0x1p-11, cast.underflow = 0x1p-25;  // as who declares these two alone
  EXPECT_EQ(normal_from(cast), 0x1p-14);
  cast.roundoff = 0;
  EXPECT_EQ(normal_from(cast), 0x1p-126);
}

}  // namespace
}  // namespace attestone
