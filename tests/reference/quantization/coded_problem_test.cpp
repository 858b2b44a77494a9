// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a kernel of codes on what they stand for.
#include "reference/quantization/coded_problem.hpp"

#include <gtest/gtest.h>

namespace attestone {
namespace {

TEST(WithoutCodes, AScoreLosesWhatItsProductWithTheMeanDoes) {
  Numerics numerics;
  numerics.score.query_codes = {CodeRule::nvfp4, ScaleSharing::channels, 16, Centring::rounded};
  numerics.score.query_mean_product.underflow = 0x1p-25;
  numerics.score.stored.underflow = 0x1p-30;
  const Numerics bare = without_codes(numerics);
  EXPECT_FALSE(computes_with_codes(bare));
  EXPECT_EQ(bare.score.stored.underflow, 0x1p-25 + 0x1p-30);
}

}  // namespace
}  // namespace attestone
