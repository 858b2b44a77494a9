// SPDX-License-Identifier: Apache-2.0
// What a device is told: the peak of memory is the documented formula, at lengths from 256 to 8192, and work is what
// the algorithm says.
#include "backends/device.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "tests/effort.hpp"
#include "tests/random_call.hpp"

namespace attestone {
namespace {

// A narrow window leaves most tiles out: memory does not depend on the mask, time does.
Problem problem_of(index length) {
  return parse_problem(
      fmt::format("shape=1x2/1x{0}x{0}x4:3 mask=window:20:0 score=bias:key&sink:head pass=forward+backward", length));
}

void expect_documented_peaks(const std::string& name, index length) {
  RandomCall call(problem_of(length));
  const SharedKernel kernel = make_kernel(name);
  EXPECT_EQ(call.run(*kernel), kernel->forward_bytes(call.problem)) << name << " " << length;
  EXPECT_EQ(call.run_backward(*kernel), kernel->backward_bytes(call.problem)) << name << " " << length;
}

// slow: measures the peaks of every device
TEST(Device, PeaksAreAsDocumented) {
  for (index length = 256; length <= 8192; length *= 2) {
    for (const char* name : {"chunked:query_chunk_size=128:key_chunk_size=256", "flash", "flash:fused_backward=0",
                             "flash:deterministic=0"})
      expect_documented_peaks(name, length);
    if (length <= effort(1024, 4096)) expect_documented_peaks("dense", length);  // whole score matrices
  }
}

/// Bytes that a kernel takes in each pass, without the gradient of a bias, which would be as long as the keys.
std::pair<index, index> bytes(const std::string& name, index length) {
  const Problem problem = parse_problem(fmt::format("shape=2x4/2x{0}x{0}x64 pass=forward+backward", length));
  const SharedKernel kernel = make_kernel(name);
  return {kernel->forward_bytes(problem), kernel->backward_bytes(problem)};
}

TEST(Device, OfChunksAndTilesDoesNotGrow) {
  for (const char* name : {"chunked:query_chunk_size=128:key_chunk_size=256", "flash:fused_backward=0"})
    EXPECT_EQ(bytes(name, 4096), bytes(name, 8192)) << name;
  // Fused, dQ of the whole problem is summed in f32.
  const index dquery = 4 * (2 * 4 * 4096 * 64);
  EXPECT_EQ(bytes("flash", 4096).second + dquery, bytes("flash", 8192).second);
}

TEST(Device, IsCountedFromTheDocumentedExtents) {
  const auto [forward, backward] = bytes("dense", 100);
  const index n = 100, d = 64;
  EXPECT_EQ(forward, 4 * (n * d + n * d + n * d + n * n + n * d) + n * n);
  EXPECT_EQ(backward, 4 * (3 * n * d + n * n) + n * n + 4 * (2 * n * d + n * n + n + 2 * n + 3 * n * d));
}

/// The work of a kernel in each pass.
std::pair<Work, Work> work(const std::string& name, const std::string& problem) {
  RandomCall call(parse_problem(problem));
  call.run(*make_kernel(name));
  const Work forward = call.work;
  call.run_backward(*make_kernel(name));
  return {forward, call.work};
}

// Two heads read one kv head; 48 is three tiles of 16 and one of 48.
TEST(Device, IsToldTheProductsOfEveryPair) {
  const index pairs = 2 * 48 * 48, d = 8, v = 4;
  for (const char* name : {"dense", "chunked", "flash", "flash:block_q=16:block_kv=16"}) {
    const auto [forward, backward] = work(name, "shape=1x2/1x48x48x8:4 pass=forward+backward");
    EXPECT_EQ(forward.multiply_adds, pairs * (d + v)) << name;
    EXPECT_EQ(forward.exponentials, pairs) << name;
    const index again = std::string(name) == "chunked" ? 2 : 1;  // P and dS for the keys, and once more for the queries
    EXPECT_EQ(backward.multiply_adds, pairs * (again * (d + v) + 2 * d + v)) << name;
    EXPECT_EQ(backward.exponentials, again * pairs) << name;
  }
}

// docs/fused.md: five products and one exponential, or seven and two.
TEST(Device, IsToldThatUnfusedPassesComputeMore) {
  const char* problem = "shape=1x2/1x48x48x8:8 pass=forward+backward";
  const Work fused = work("flash", problem).second, unfused = work("flash:fused_backward=0", problem).second;
  EXPECT_EQ(7 * fused.multiply_adds, 5 * unfused.multiply_adds);
  EXPECT_EQ(2 * fused.exponentials, unfused.exponentials);
}

TEST(Device, IsToldWhatTilesLeaveOut) {
  const char *full = "shape=1x1x64x64x8 pass=forward+backward",
             *causal = "shape=1x1x64x64x8 mask=causal pass=forward+backward";
  const auto [all, all_backward] = work("flash:block_q=16:block_kv=16", full);
  const auto [half, half_backward] = work("flash:block_q=16:block_kv=16", causal);
  // Of 16 tiles 10 hold a visible pair, and all of their pairs are computed.
  const index pairs = 10 * 16 * 16;
  EXPECT_EQ(half.exponentials, pairs);
  EXPECT_EQ(half_backward.exponentials, pairs);
  EXPECT_EQ(half.multiply_adds, pairs * (8 + 8));
  EXPECT_EQ(half_backward.multiply_adds, pairs * 5 * 8);
  EXPECT_EQ(work("dense", full).first, work("dense", causal).first);
  EXPECT_EQ(all_backward.exponentials, all.exponentials);
}

// T. Dao et al., "FlashAttention" (arXiv 2205.14135), Theorem 2: K and V pass by once for every tile of queries.
TEST(Device, IsToldHowOftenTensorsAreRead) {
  const index row = 8 * 2, log_sum_exps = 48 * 4;  // in bytes
  const char* problem = "shape=1x1x48x48x8 dtype=bf16 pass=forward+backward";
  EXPECT_EQ(work("dense", problem).first.bytes, (48 + 2 * 48 + 48) * row + log_sum_exps);
  EXPECT_EQ(work("flash", problem).first.bytes, (48 + 2 * 48 + 48) * row + log_sum_exps);
  EXPECT_EQ(work("flash:block_q=16", problem).first.bytes, (48 + 3 * 2 * 48 + 48) * row + log_sum_exps);
  // Q, O and dO of every query and K and V of every key, then dQ, dK and dV.
  EXPECT_EQ(work("flash", problem).second.bytes, (3 * 48 + 2 * 48 + 3 * 48) * row + log_sum_exps);
  EXPECT_EQ(work("dense", problem).second.bytes, (3 * 48 + 2 * 48 + 3 * 48) * row + log_sum_exps);
}

TEST(Device, CountsByNameWhatIsTakenAndWhatWasTheMost) {
  Device device;
  const auto row = device.allocate<float>(3, "row");
  {
    const auto scores = device.allocate<double>(4, "scores"), more = device.allocate<double>(1, "scores");
    EXPECT_EQ(device.live(), (MemoryUse{12 + 32 + 8, {{"row", 12}, {"scores", 40}}}));
  }
  const auto none = device.allocate<float>(0, "nothing");
  const auto values = device.allocate<double>(2, "values");
  EXPECT_EQ(device.live(), (MemoryUse{12 + 16, {{"row", 12}, {"values", 16}}}));
  const auto fewer = device.allocate<double>(1, "scores");
  EXPECT_EQ(device.peak(), (MemoryUse{12 + 40, {{"row", 12}, {"scores", 40}, {"values", 16}}}));
}

TEST(Device, PoisonsAndAlignsWhatItHandsOut) {
  Device device;
  for (const index count : {1, 3, 64, 1000}) {
    auto memory = device.allocate<std::uint8_t>(count, "bytes");
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % allocation_alignment, 0u);
    EXPECT_TRUE(std::ranges::all_of(memory.span(), [](std::uint8_t byte) { return byte == 0xFF; }));
  }
  EXPECT_EQ(device.live(), MemoryUse{});
}

TEST(Device, LeavesMemoryAsItWasWhereAskedTo) {
  Device device(FreshMemory::as_it_was);
  constexpr index count = 1 << 16;
  const auto untouched = [](Allocation<std::uint8_t> memory) {
    return !std::ranges::all_of(memory.span(), [](std::uint8_t byte) { return byte == 0xFF; });
  };
  { std::ranges::fill(device.allocate<std::uint8_t>(count, "before").span(), std::uint8_t{1}); }
  EXPECT_TRUE(untouched(device.allocate<std::uint8_t>(count, "after")));
  EXPECT_EQ(device.peak().bytes, count);
}

TEST(Device, CountsFromManyThreads) {
  Device device;
  constexpr index jobs = 2000;
#pragma omp parallel for num_threads(4)
  for (index job = 0; job < jobs; ++job) {
    const auto memory = device.allocate<float>(1 + job % 3, job % 2 ? "odd" : "even");
    device.compute({.multiply_adds = 1, .exponentials = job});
  }
  EXPECT_EQ(device.live(), MemoryUse{});
  EXPECT_EQ(device.work(), (Work{jobs, jobs * (jobs - 1) / 2, 0}));
}

}  // namespace
}  // namespace attestone
