// SPDX-License-Identifier: Apache-2.0
// What is particular to the flash kernel: its settings, its slopes, its memory.
#include "backends/cpu/flash.hpp"

#include <gtest/gtest.h>

#include "backends/cpu/score_row.hpp"
#include "reference/scores/alibi.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

TEST(Flash, RefusesBlocksThatDoNotFit) {
  for (const char* text : {"flash:block_kv=64:block_kv_compute=128", "flash:block_kv=100:block_kv_compute=64"}) try {
      make_kernel(text);
      ADD_FAILURE() << text;
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("does not divide block_kv"), std::string::npos);
    }
}

TEST(Flash, HasItsOwnSlopesAndTheyAreRight) {
  constexpr index most_heads = 100;
  for (index heads = 1; heads <= most_heads; ++heads)
    for (index head = 0; head < heads; ++head) EXPECT_EQ(own_alibi_slope(head, heads), alibi_slope(head, heads));
}

TEST(Flash, NeedsMemoryForTilesOnly) {
  const AnyKernel flash = make_kernel("flash:workers=1");
  const index bytes = flash.workspace_bytes(parse_problem("shape=1x1x256x256x64"));
  EXPECT_EQ(flash.workspace_bytes(parse_problem("shape=4x8x8192x65536x64")), bytes);
  // Q, one row of K, K transposed, V, one row of S, O: floats; m and l: two floats a query.
  EXPECT_EQ(bytes, 4 * (64 * 64 + 64 + 128 * 64 + 128 * 64 + 128 + 64 * 64 + 2 * 64));
  EXPECT_EQ(make_kernel("flash:workers=3").workspace_bytes(parse_problem("shape=4x8x8192x65536x64")), 3 * bytes);
}

}  // namespace
}  // namespace attestone
