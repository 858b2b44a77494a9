// SPDX-License-Identifier: Apache-2.0
// Whoever gets a file that somebody else has used finds zeros.
#include "reference/tensor/hollow_file.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <unistd.h>

namespace attestone {
namespace {

const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
const std::size_t bytes = page << 10;
const std::vector<ByteStretch> pages{{0, page}, {7 * page, 9 * page}};

HollowFile touched_in(HollowFiles& files, const std::vector<ByteStretch>& touched) {
  HollowFile file = files.take(bytes, pages);
  for (const ByteStretch& stretch : touched)
    std::fill(file.begin() + stretch.begin, file.begin() + stretch.end, std::byte{1});
  return file;
}

TEST(HollowFiles, GiveTheSameFileAgainWithZeros) {
  HollowFiles files;
  HollowFile used = touched_in(files, pages);
  const std::byte* const where = used.begin();
  files.keep(std::move(used), pages);
  const HollowFile again = files.take(bytes, pages);
  EXPECT_EQ(again.begin(), where);
  EXPECT_EQ(again.touched(), pages);
  for (const ByteStretch& stretch : pages)
    EXPECT_TRUE(std::all_of(again.begin() + stretch.begin, again.begin() + stretch.end,
                            [](std::byte byte) { return byte == std::byte{0}; }));
}

TEST(HollowFiles, KeepNoneOfWhichOtherPagesWereTouched) {
  HollowFiles files;
  files.keep(touched_in(files, {{0, page}, {7 * page, 9 * page}, {99 * page, 100 * page}}), pages);
  files.keep(touched_in(files, {{0, page}}), pages);
  EXPECT_TRUE(files.take(bytes, pages).touched().empty());
}

TEST(HollowFiles, GiveOneOfOtherPagesOrAnotherSizeToNobody) {
  HollowFiles files;
  files.keep(touched_in(files, pages), pages);
  EXPECT_TRUE(files.take(2 * bytes, pages).touched().empty());
  EXPECT_TRUE(files.take(bytes, {{0, page}}).touched().empty());
  EXPECT_EQ(files.take(bytes, pages).touched(), pages);
}

}  // namespace
}  // namespace attestone
