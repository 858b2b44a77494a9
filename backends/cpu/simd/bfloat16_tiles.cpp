// SPDX-License-Identifier: Apache-2.0
// Products of bf16 by tdpbf16ps: two times two tiles of sums stay in the tile registers, two of rows and two of columns
// pass by.
#include <algorithm>
#include <array>

#include "backends/cpu/simd/bfloat16_instructions.hpp"
#include "reference/require.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace attestone::inline backends {

#if defined(__x86_64__) && defined(__linux__)
namespace {

constexpr index tile_rows = 16, tile_bytes = 64;
constexpr index tile_lanes = panel_queries / 2;
constexpr index panel_bytes = panel_queries * 4;  ///< of a row of sums, and of a row of pairs

// The tile registers: sums, rows and columns.
constexpr int upper_left = 0, upper_right = 1, lower_left = 2, lower_right = 3, upper = 4, lower = 5, left = 6,
              right = 7;

/// The operand of ldtilecfg, for blocks of so many rows.
struct alignas(64) TileShapes {
  explicit constexpr TileShapes(index block) {
    const auto above = static_cast<std::uint8_t>(std::min(block, tile_rows));
    const auto below = static_cast<std::uint8_t>(block > tile_rows ? block - tile_rows : 0);
    for (const int tile : {upper_left, upper_right, upper}) set(tile, above);
    for (const int tile : {lower_left, lower_right, lower}) set(tile, below);
    for (const int tile : {left, right}) set(tile, tile_rows);
  }

  std::uint8_t palette = 1, first_row = 0;
  std::array<std::uint8_t, 14> unused{};
  std::array<std::uint16_t, 16> row_bytes{};
  std::array<std::uint8_t, 16> rows{};

 private:
  constexpr void set(int tile, std::uint8_t count) {
    const auto at = static_cast<std::size_t>(tile);
    rows[at] = count;
    row_bytes[at] = count == 0 ? 0 : static_cast<std::uint16_t>(tile_bytes);
  }
};

// Compilers do not know what these read: all of the memory, as far as they can tell.

void use(const TileShapes& shapes) { asm volatile("ldtilecfg (%0)" : : "r"(&shapes) : "memory"); }

/// Until then, switching between threads saves eight kilobytes more.
void release_tiles() { asm volatile("tilerelease" : : : "memory"); }

template <int tile>
void clear() {
  asm volatile("tilezero %%tmm%c0" : : "i"(tile));
}

template <int tile>
void load(const void* from, index stride) {
  asm volatile("tileloadd (%0,%1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(tile) : "memory");
}

template <int tile>
void store(void* to, index stride) {
  asm volatile("tilestored %%tmm%c2, (%0,%1)" : : "r"(to), "r"(stride), "i"(tile) : "memory");
}

/// sums[m][n] += rows[m][2k] columns[k][2n] + rows[m][2k + 1] columns[k][2n + 1].
template <int sums, int rows, int columns>
void add_products() {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sums), "i"(rows), "i"(columns));
}

/// Up to 16 rows of a block, or up to 32.
template <bool two_tiles>
void multiply_block(PairedCodes rows, const std::uint32_t* pairs, index products, SumsBegin begin, float* out) {
  const index stride = rows.row_step * 2;
  float* below = out + tile_rows * panel_queries;
  if (begin == SumsBegin::at_zero) {
    clear<upper_left>(), clear<upper_right>();
    if constexpr (two_tiles) clear<lower_left>(), clear<lower_right>();
  } else {
    load<upper_left>(out, panel_bytes), load<upper_right>(out + tile_lanes, panel_bytes);
    if constexpr (two_tiles) load<lower_left>(below, panel_bytes), load<lower_right>(below + tile_lanes, panel_bytes);
  }
  for (index done = 0; done < products; done += products_together, pairs += tile_rows * panel_queries) {
    load<left>(pairs, panel_bytes);
    load<upper>(rows.data + done, stride);
    add_products<upper_left, upper, left>();
    load<right>(pairs + tile_lanes, panel_bytes);
    add_products<upper_right, upper, right>();
    if constexpr (two_tiles) {
      load<lower>(rows[tile_rows] + done, stride);
      add_products<lower_left, lower, left>();
      add_products<lower_right, lower, right>();
    }
  }
  store<upper_left>(out, panel_bytes), store<upper_right>(out + tile_lanes, panel_bytes);
  if constexpr (two_tiles) store<lower_left>(below, panel_bytes), store<lower_right>(below + tile_lanes, panel_bytes);
}

bool is_permitted() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned bf16 = 1U << 22, tiles = 1U << 24;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & bf16) || !(d & tiles)) return false;
  constexpr int request_permission = 0x1023, tile_data = 18;  // of arch_prctl
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace

/// Linux asks that a process wants them, because its signal handlers then need more stack. It is asked once: threads
/// and child processes inherit what it says.
bool machine_has_tiles() {
  static const bool permitted = is_permitted();
  return permitted;
}

void multiply_by_tiles(PairedCodes rows, index count, const std::uint32_t* pairs, index products, SumsBegin begin,
                       float* out) {
  require(rows.pair_step == 2, "a tile reads rows");
  constexpr index block = 2 * tile_rows;
  static constexpr TileShapes whole(block);
  index first = 0;
  if (count >= block) use(whole);
  for (; first + block <= count; first += block)
    multiply_block<true>(rows.from(first), pairs, products, begin, out + first * panel_queries);
  if (const index rest = count - first; rest > 0) {
    const TileShapes shapes(rest);
    use(shapes);
    const auto multiply = rest > tile_rows ? multiply_block<true> : multiply_block<false>;
    multiply(rows.from(first), pairs, products, begin, out + first * panel_queries);
  }
  release_tiles();
}

#else

bool machine_has_tiles() { return false; }

void multiply_by_tiles(PairedCodes, index, const std::uint32_t*, index, SumsBegin, float*) {
  require(false, "tiles are multiplied where there are none");
}

#endif

}  // namespace attestone::inline backends
