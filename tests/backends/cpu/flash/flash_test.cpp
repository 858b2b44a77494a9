// SPDX-License-Identifier: Apache-2.0
// What is particular to the flash kernel: its settings, its slopes, its memory.
#include "backends/cpu/flash/flash.hpp"

#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/cpu/parts/formula_bias.hpp"
#include "reference/scores/alibi.hpp"
#include "reference/user_error.hpp"

namespace attestone {
namespace {

/// The complaint of make_kernel about a text; empty if it accepts the text.
std::string complaint(const std::string& text) {
  try {
    make_kernel(text);
    return {};
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(Flash, RefusesSettingsThatDoNotFit) {
  const std::vector<std::pair<const char*, const char*>> bad{
      {"flash:block_kv=64:block_kv_compute=128", "block_kv_compute=128 does not divide block_kv=64"},
      {"flash:block_kv=100:block_kv_compute=64", "block_kv_compute=64 does not divide block_kv=100"},
      {"flash:block_kv_dkv=64:block_kv_dkv_compute=48", "block_kv_dkv_compute=48 does not divide block_kv_dkv=64"},
      {"flash:fused_backward=0:block_q_dkv=48", "block_q_dkv=48 does not divide block_q=128"},
      {"flash:block_q_dkv=32", "block_q_dkv=32 differs from block_q=128"},
      {"flash:block_q_dq=32", "block_q_dq is of the pass that the fused backward pass does not have"},
      {"flash:block_kv_dq=32", "block_kv_dq is of the pass that the fused backward pass does not have"},
      {"flash:fused_backward=2", "fused_backward is 0 or 1"},
      {"flash:deterministic=3", "deterministic is 0 or 1"},
      {"flash:deterministic=0:fused_backward=0", "deterministic=0 needs fused_backward=1"},
  };
  for (const auto& [text, message] : bad) EXPECT_EQ(complaint(text).substr(0, std::strlen(message)), message) << text;
  EXPECT_EQ(complaint("flash:block_q=32:block_q_dkv=32:block_kv_dkv=64:block_kv_dkv_compute=16"), "");
  EXPECT_EQ(complaint("flash:fused_backward=0:block_q_dkv=32:block_q_dq=7:block_kv_dq=9"), "");
}

using Adjustments = std::vector<Adjustment>;

TEST(Flash, SuitsItsBlocksToShortKeysAndSaysSo) {
  const auto of = [](const char* kernel, const char* problem) {
    return make_kernel(kernel)->adjustments(parse_problem(problem));
  };
  const std::string why = "cross-attention to 77 keys";
  EXPECT_EQ(of("flash:block_kv_compute=64", "shape=1x1x256x77x8"),
            (Adjustments{{"block_kv", "128", "77", why},
                         {"block_kv_compute", "64", "77", why},
                         {"block_kv_dkv", "256", "77", why},
                         {"block_kv_dkv_compute", "128", "77", why},
                         {"block_kv_dq", "128", "77", why}}));
  EXPECT_EQ(of("flash", "shape=1x1x77x77x8"), Adjustments{}) << "self-attention keeps what it was told";
  EXPECT_EQ(of("flash", "shape=1x1x512x256x8"), Adjustments{});
  EXPECT_EQ(of("flash", "shape=1x1x256x0x8"), Adjustments{});
  EXPECT_EQ(make_kernel("flash:block_kv_compute=64")->numerics(parse_problem("shape=1x1x256x77x8")).weight.tile_keys,
            77);
  EXPECT_EQ(of("dense", "shape=1x1x256x77x8"), Adjustments{});
}

TEST(Flash, SuitsItsStepsToWideHeadsAndSaysSo) {
  const SharedKernel flash = make_kernel("flash:workers=1:fused_backward=0");
  const std::string why = "scratch memory of at most 1 MiB a worker";
  EXPECT_EQ(flash->adjustments(parse_problem("shape=1x1x1000x1000x512")),
            (Adjustments{{"block_kv_compute", "128", "64", why},
                         {"block_kv_dkv", "256", "64", why},
                         {"block_kv_dq", "128", "64", why}}));
  for (const char* shape : {"shape=1x1x8192x8192x64", "shape=1x1x8192x8192x128", "shape=1x1x8192x8192x256:128",
                            "shape=1x1x8192x8192x512", "shape=1x1x8192x8192x576:512"}) {
    const Problem problem = parse_problem(fmt::format("{} pass=forward+backward", shape));
    EXPECT_LE(flash->forward_bytes(problem), 1 << 20) << shape;
    EXPECT_LE(flash->backward_bytes(problem), 1 << 20) << shape;
  }
}

TEST(Flash, LeavesShortProblemsToDense) {
  const SharedKernel flash = make_kernel("flash:flash_min_seq_length=100"), dense = make_kernel("dense");
  const Problem small = parse_problem("shape=1x2x256x99x8 pass=forward+backward");
  const Problem large = parse_problem("shape=1x2x100x100x8 pass=forward+backward");
  EXPECT_EQ(flash->adjustments(small),
            (Adjustments{{"kernel", "flash", "dense", "shorter than flash_min_seq_length=100"}}));
  EXPECT_EQ(flash->adjustments(large), Adjustments{});
  EXPECT_EQ(flash->forward_bytes(small), dense->forward_bytes(small));
  EXPECT_EQ(flash->backward_bytes(small), dense->backward_bytes(small));
  EXPECT_NE(flash->forward_bytes(large), dense->forward_bytes(large));
  EXPECT_TRUE(flash->wants_mask_bytes(small));
  EXPECT_TRUE(flash->numerics(small).weight.normalised);
  EXPECT_FALSE(flash->wants_mask_bytes(large));
}

TEST(Flash, HasItsOwnSlopesAndTheyAreRight) {
  constexpr index most_heads = 100;
  for (index heads = 1; heads <= most_heads; ++heads)
    for (index head = 0; head < heads; ++head) EXPECT_EQ(own_alibi_slope(head, heads), alibi_slope(head, heads));
}

TEST(Flash, NeedsMemoryForTilesOnly) {
  const SharedKernel flash = make_kernel("flash:workers=1");
  const index bytes = flash->forward_bytes(parse_problem("shape=1x1x256x256x64"));
  EXPECT_EQ(flash->forward_bytes(parse_problem("shape=4x8x8192x65536x64")), bytes);
  // Q of four panels; K, V and what is finite in V; S of one panel; a word a key; rows of one panel: and m, l and O.
  const index n = 128, d = 64, keys = 128;
  EXPECT_EQ(bytes, 4 * (n * d + 3 * keys * d + 32 * keys + keys + 32 * d + 2 * n + n * d));
  EXPECT_EQ(make_kernel("flash:workers=3")->forward_bytes(parse_problem("shape=4x8x8192x65536x64")), 3 * bytes);
}

}  // namespace
}  // namespace attestone
