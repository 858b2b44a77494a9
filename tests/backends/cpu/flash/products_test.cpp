// SPDX-License-Identifier: Apache-2.0
// How flash adds up products of bf16: as it was told, as it declares, and where the system refuses tiles, without.
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "backends/catalogue.hpp"
#include "backends/cpu/simd/bfloat16_products.hpp"
#include "tests/random_call.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace attestone {
namespace {

constexpr const char* every_way[] = {"floats", "dots", "tiles"};

std::vector<Adjustment> adjustments(const char* products, const char* problem) {
  return make_kernel(fmt::format("flash:products={}", products))->adjustments(parse_problem(problem));
}

std::vector<std::uint64_t> answer(const std::string& kernel, const char* problem) {
  RandomCall call(parse_problem(problem));
  call.run(*make_kernel(kernel));
  return call.codes();
}

/// The products that "best" means on this machine.
std::string best_here() {
  const auto best = best_pair_products();
  return !best ? "floats" : *best == PairProducts::dots ? "dots" : "tiles";
}

TEST(FlashProducts, AreWhatWasAskedForOrSaySo) {
  using Adjustments = std::vector<Adjustment>;
  for (const char* products : every_way) EXPECT_EQ(adjustments(products, "shape=1x1x4x4x4 dtype=bf16"), Adjustments{});
  EXPECT_EQ(adjustments("dots", "shape=1x1x4x4x4 dtype=f16"),
            (Adjustments{{"products", "dots", "floats", "only bf16 has others"}}));
  EXPECT_EQ(adjustments("best", "shape=1x1x4x4x4"), Adjustments{});
  EXPECT_EQ(adjustments("best", "shape=1x1x4x4x4 dtype=bf16"),
            best_here() == "floats"
                ? Adjustments{}
                : (Adjustments{{"products", "best", best_here(), "what this machine does fastest"}}));
}

TEST(FlashProducts, HaveTheirOwnBits) {
  constexpr const char* problem = "shape=1x2x70x150x40 dtype=bf16>f32 mask=causal";
  std::set<std::vector<std::uint64_t>> different;
  for (const char* products : every_way) different.insert(answer(fmt::format("flash:products={}", products), problem));
  EXPECT_EQ(different.size(), std::size(every_way));
  EXPECT_EQ(answer("flash", problem), answer(fmt::format("flash:products={}", best_here()), problem));
}

/// One key, so that the answer is its value.
TEST(FlashProducts, FlushIfTheyDeclareIt) {
  constexpr double subnormal = 0x1p-130, smallest_normal = 0x1p-126;
  for (const char* products : every_way) {
    const SharedKernel kernel = make_kernel(fmt::format("flash:products={}", products));
    RandomCall call(parse_problem("shape=1x1x1x1x2 dtype=bf16>f32"));
    call.inputs.value.view().set(0, 0, 0, 0, subnormal);
    call.inputs.value.view().set(0, 0, 0, 1, smallest_normal);
    call.run(*kernel);
    const bool flushes = std::string(products) != "floats";
    EXPECT_EQ(call.outputs.out.view().value(0, 0, 0, 0), flushes ? 0 : subnormal) << products;
    EXPECT_EQ(call.outputs.out.view().value(0, 0, 0, 1), smallest_normal) << products;
    const Numerics numerics = kernel->numerics(call.problem);
    EXPECT_GE(numerics.value.accumulator.underflow, smallest_normal) << "values may be read as 0";
    EXPECT_EQ(numerics.weight.cast.underflow, flushes ? smallest_normal : 0x1p-134) << products;
  }
}

/// Query i sees keys 0 to i + 30.
TEST(FlashProducts, WhatIsNotFiniteReachesThoseThatSeeIt) {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* products : every_way) {
    const SharedKernel kernel = make_kernel(fmt::format("flash:products={}", products));
    RandomCall clean(parse_problem("shape=1x1x40x70x8 mask=causal dtype=bf16>f32")), dirty(clean.problem);
    dirty.inputs.value.view().set(0, 0, 50, 3, infinity);
    dirty.inputs.value.view().set(0, 0, 51, 4, nan);
    clean.run(*kernel), dirty.run(*kernel);
    const View before = clean.outputs.out.view(), after = dirty.outputs.out.view();
    for (index query = 0; query < 40; ++query)
      for (index c = 0; c < 8; ++c) {
        const double now = after.value(0, 0, query, c);
        const bool sees_infinity = c == 3 && query >= 20, sees_nan = c == 4 && query >= 21;
        const double want = sees_nan ? nan : sees_infinity ? infinity : before.value(0, 0, query, c);
        EXPECT_TRUE(now == want || (std::isnan(now) && sees_nan)) << products << " " << query << " " << c;
      }
  }
}

TEST(FlashProducts, NeedMemoryForTilesOnly) {
  const SharedKernel flash = make_kernel("flash:products=tiles:workers=1");
  const index bytes = flash->forward_bytes(parse_problem("shape=1x1x256x256x64 dtype=bf16"));
  EXPECT_EQ(flash->forward_bytes(parse_problem("shape=4x8x8192x65536x64 dtype=bf16")), bytes);
  // As floats: Q of one panel, S, rows of one panel, a word a key; m, l and O. As bf16: Q of all panels and P, before
  // which one pair may stand; K where it must be copied; V twice.
  constexpr index n = 128, d = 64, keys = 128, stride = keys + 32;
  EXPECT_EQ(bytes, 4 * (32 * d + 32 * keys + 32 * d + keys + 2 * n + n * d) +
                       2 * (n * d + 32 * (keys + 2) + keys * d + 2 * d * stride));
  for (const char* shape : {"shape=1x1x8192x8192x256:128", "shape=1x1x8192x8192x512", "shape=1x1x8192x8192x576:512"})
    EXPECT_LE(flash->forward_bytes(parse_problem(fmt::format("{} dtype=bf16", shape))), 1 << 20) << shape;
}

#if defined(__x86_64__) && defined(__linux__)

/// From now on the system refuses what a process must ask before it uses tiles.
bool refuse_permissions() {
  sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_arch_prctl, 0, 1),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{static_cast<unsigned short>(std::size(rules)), rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// The first thing that goes wrong without permission for tiles, or "all is well": flash must neither declare tiles nor
/// multiply by them, but emulate them if told to.
std::string without_permission(const char* problem) {
  if (!refuse_permissions()) return "no filter";
  if (has_instruction(PairProducts::tiles) || best_here() == "tiles") return "has tiles all the same";
  const std::string best = best_here();
  const Numerics numerics = make_kernel("flash")->numerics(parse_problem(problem));
  const bool declares_flushing = numerics.weight.cast.underflow == 0x1p-126;
  if (declares_flushing != (best != "floats")) return "declares something else than it does";
  if (answer("flash", problem) != answer(fmt::format("flash:products={}", best), problem)) return "other bits";
  if (answer("flash:products=tiles", problem) == answer("flash:products=floats", problem)) return "no emulation";
  return "all is well";
}

TEST(FlashProducts, DoWithoutTilesWhereTheSystemRefusesThem) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process that has not asked yet
  EXPECT_EXIT(
      {
        std::cerr << without_permission("shape=1x2x33x70x40 dtype=bf16>f32") << "\n";
        _exit(0);
      },
      testing::ExitedWithCode(0), "^all is well\n$");
}

TEST(FlashProducts, AreTheSameInAChild) {
  constexpr const char* problem = "shape=1x2x33x70x40 dtype=bf16";
  constexpr const char* kernel = "flash:products=tiles:workers=1";  // a child has no team of threads
  const auto here = answer(kernel, problem);
  const pid_t child = fork();
  if (child == 0) {
    const bool refused = refuse_permissions();  // it was given before, once and for all
    _exit(refused && answer(kernel, problem) == here ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

#endif

}  // namespace
}  // namespace attestone
