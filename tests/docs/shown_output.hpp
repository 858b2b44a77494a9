// SPDX-License-Identifier: Apache-2.0
// What a code block of a page prints must be what the page shows.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

namespace attestone {

/// Compares everything that is printed during its life with what the page shows.
class ShownOutput {
 public:
  explicit ShownOutput(std::string shown) : shown_(std::move(shown)) { testing::internal::CaptureStdout(); }
  ~ShownOutput() { EXPECT_EQ(testing::internal::GetCapturedStdout(), shown_); }
  ShownOutput(const ShownOutput&) = delete;
  ShownOutput& operator=(const ShownOutput&) = delete;

 private:
  std::string shown_;
};

}  // namespace attestone
