// SPDX-License-Identifier: Apache-2.0
// A loop of products of tiles of ones, which counts its own steps.
#include "conformance/bench/limits/tile_peak.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "backends/cpu/simd/bfloat16_instructions.hpp"
#include "conformance/bench/limits/rate.hpp"
#include "reference/require.hpp"

namespace attestone::inline conformance {

#if defined(__x86_64__) && defined(__linux__)
namespace {

constexpr int rows = 16, lanes = 16, sums = 6;
constexpr std::uint64_t steps = 10'000;

/// The operand of ldtilecfg: eight tiles of 16 rows of 64 bytes.
struct alignas(64) TileShapes {
  std::uint8_t palette = 1, first_row = 0;
  std::array<std::uint8_t, 14> unused{};
  std::array<std::uint16_t, 16> row_bytes{64, 64, 64, 64, 64, 64, 64, 64};
  std::array<std::uint8_t, 16> row_counts{rows, rows, rows, rows, rows, rows, rows, rows};
};

/// Six sums of products of tiles 6 and 7, from 0 on. Operations done; 0 if an element has not counted all steps.
double tile_products() {
  const TileShapes shapes;
  std::uint64_t count = steps;
  const std::int64_t stride = 64;
  alignas(64) std::array<std::uint16_t, rows * 32> ones;
  ones.fill(0x3f80);
  std::array<float, sums * rows * lanes> found{};
  constexpr std::int64_t tile = rows * stride;
  asm volatile(
      "ldtilecfg (%[shapes])\n"
      "tileloadd (%[ones], %[stride]), %%tmm6\n"
      "tileloadd (%[ones], %[stride]), %%tmm7\n"
      "tilezero %%tmm0\n tilezero %%tmm1\n tilezero %%tmm2\n tilezero %%tmm3\n tilezero %%tmm4\n tilezero %%tmm5\n"
      "1:\n"
      "tdpbf16ps %%tmm7, %%tmm6, %%tmm0\n tdpbf16ps %%tmm7, %%tmm6, %%tmm1\n tdpbf16ps %%tmm7, %%tmm6, %%tmm2\n"
      "tdpbf16ps %%tmm7, %%tmm6, %%tmm3\n tdpbf16ps %%tmm7, %%tmm6, %%tmm4\n tdpbf16ps %%tmm7, %%tmm6, %%tmm5\n"
      "dec %[count]\n"
      "jnz 1b\n"
      "tilestored %%tmm0, (%[found], %[stride])\n"
      "tilestored %%tmm1, %c[tile]*1(%[found], %[stride])\n"
      "tilestored %%tmm2, %c[tile]*2(%[found], %[stride])\n"
      "tilestored %%tmm3, %c[tile]*3(%[found], %[stride])\n"
      "tilestored %%tmm4, %c[tile]*4(%[found], %[stride])\n"
      "tilestored %%tmm5, %c[tile]*5(%[found], %[stride])\n"
      "tilerelease\n"
      : [count] "+r"(count)
      :
      [shapes] "r"(&shapes), [ones] "r"(ones.data()), [stride] "r"(stride), [found] "r"(found.data()), [tile] "i"(tile)
      : "cc", "memory");
  constexpr float products = 32;
  const auto right = [](float sum) { return sum == products * static_cast<float>(steps); };
  if (!std::all_of(found.begin(), found.end(), right)) return 0;
  return 2.0 * static_cast<double>(products) * static_cast<double>(found.size() * steps);
}

}  // namespace

double peak_bf16_tile_flops(int threads, double seconds) {
  if (!machine_has_tiles()) return 0;
  const double flops = rate(threads, seconds, [](int) { return tile_products(); });
  require(flops > 0, "a loop of products of tiles counts its own steps");
  return flops;
}

#else

double peak_bf16_tile_flops(int, double) { return 0; }

#endif

}  // namespace attestone::inline conformance
