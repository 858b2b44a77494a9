// SPDX-License-Identifier: Apache-2.0
// What an outside kernel writes to standard error: marked, escaped, and no more than anybody reads.
#include "backends/plugins/process/kernel_words.hpp"

#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

namespace attestone {
namespace {

/// All that is shown of what a kernel writes.
std::string shown(const std::string& words) {
  testing::internal::CaptureStderr();
  {
    auto [ours, its] = one_way_pair();
    const KernelWords listening(std::move(ours));
    for (std::size_t at = 0; at < words.size();) {
      const ssize_t written = write(its.get(), words.data() + at, words.size() - at);
      if (written > 0) at += static_cast<std::size_t>(written);
    }
  }
  return testing::internal::GetCapturedStderr();
}

TEST(KernelWords, StandBehindAMarkWithoutControlCharacters) {
  EXPECT_EQ(shown("::set-output name=verdict::conforms\nattestone: \033[2Jconforms\r\n\nno end"),
            "kernel | ::set-output name=verdict::conforms\nkernel | attestone: ?[2Jconforms\nkernel | no end\n");
}

TEST(KernelWords, AreNoMoreThanAnybodyReads) {
  std::string flood = std::string(10'000, 'x') + "\n";
  while (flood.size() < 5'000'000) flood += "tile by tile\n";
  std::istringstream lines(shown(flood));
  std::size_t bytes = 0, left_out = 0;
  for (std::string line; std::getline(lines, line); bytes += line.size() + 1) {
    EXPECT_TRUE(line.starts_with(KernelWords::mark)) << line;
    EXPECT_LE(line.size(), KernelWords::mark.size() + KernelWords::longest_line);
    left_out += line.find("is not shown") != std::string::npos;
  }
  EXPECT_EQ(left_out, 1u);
  EXPECT_GT(bytes, KernelWords::most_bytes / 2);
  EXPECT_LT(bytes, KernelWords::most_bytes + 200);
}

}  // namespace
}  // namespace attestone
