// SPDX-License-Identifier: Apache-2.0
// A mistake is pointed at in one line, whatever bytes the line holds; the name that was meant is guessed.
#include "reference/user_error.hpp"

#include <gtest/gtest.h>

namespace attestone {
namespace {

std::string shown(const std::string& text, std::size_t begin, std::size_t length) {
  return UserError("wrong", Place{text, begin, length}).what();
}

TEST(UserError, PointsAtThePlace) {
  EXPECT_EQ(shown("mask=casual seed=1", 5, 6), "wrong\n  mask=casual seed=1\n       ^^^^^^");
  EXPECT_EQ(shown("mask=", 5, 1), "wrong\n  mask=\n       ^");
  EXPECT_EQ(shown("", 0, 1), "wrong\n  \n  ^");
}

TEST(UserError, AControlCharacterDoesNotBreakTheLine) {
  EXPECT_EQ(shown(std::string("a\n\0\tb", 5), 4, 1), "wrong\n  a???b\n      ^");
  EXPECT_STREQ(UserError(std::string("unknown mask 'a\0b'", 18)).what(), "unknown mask 'a?b'");
}

TEST(UserError, TheCaretCountsCharactersNotBytes) {
  EXPECT_EQ(shown("fill=\u00e4\u00f6 x", 10, 1), "wrong\n  fill=\u00e4\u00f6 x\n          ^");
}

TEST(UserError, ALongLineMayHoldNoWholeCharacter) {
  EXPECT_EQ(shown(std::string(300, '\xa1'), 0, 1), "wrong\n   ...\n  ^");
}

TEST(UserError, GuessesTheNearestName) {
  const std::vector<std::string> known{"causal", "full", "window"};
  EXPECT_EQ(did_you_mean("casual", known), "did you mean 'causal'?");
  EXPECT_EQ(did_you_mean("ful", known), "did you mean 'full'?");
  EXPECT_EQ(did_you_mean("banana", known), "known: causal full window");
  EXPECT_EQ(did_you_mean("x", {}), "known:");
  const std::vector<std::string> many(1000, "seventeen_letters");
  EXPECT_TRUE(did_you_mean("x", many).ends_with(" seventeen_letters and 934 more")) << did_you_mean("x", many);
}

}  // namespace
}  // namespace attestone
