// SPDX-License-Identifier: Apache-2.0
// What the other tests here say they say of NEON.
#include <algorithm>
#include <gtest/gtest.h>
#include <hwy/highway.h>

namespace attestone {
namespace {

TEST(Neon, IsWhatTheKernelsAreCompiledForAndRunOn) {
  const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  EXPECT_NE(std::ranges::find(targets, HWY_NEON), targets.end());
}

}  // namespace
}  // namespace attestone
