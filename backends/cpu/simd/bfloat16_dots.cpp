// SPDX-License-Identifier: Apache-2.0
// Products of bf16 by vdpbf16ps: a few broadcast pairs of rows times two vectors of columns, all sums in registers.
#include <cstring>
#include <hwy/base.h>
#include <utility>

#include "backends/cpu/simd/bfloat16_instructions.hpp"
#include "reference/require.hpp"

#if HWY_ARCH_X86_64
#include <immintrin.h>
#endif

namespace attestone::inline backends {

#if HWY_ARCH_X86_64

bool machine_has_dots() {
  static const bool has = __builtin_cpu_supports("avx512bf16");
  return has;
}

bool dots_outrun_floats() {
  static const bool is_amd = __builtin_cpu_is("amd");
  return is_amd;
}

HWY_PUSH_ATTRIBUTES("avx512f,avx512bf16")
namespace {

constexpr index lanes = panel_queries / 2;
constexpr int block_rows = 12;  // 12 times 2 sums, 2 vectors and a broadcast one fit 32 registers

/// The two halves of a panel's columns.
struct Halves {
  __m512 left, right;
};

HWY_INLINE Halves load(const void* row) {
  return {_mm512_loadu_ps(row), _mm512_loadu_ps(static_cast<const float*>(row) + lanes)};
}

HWY_INLINE __m512bh as_pairs(__m512 bits) { return reinterpret_cast<__m512bh>(bits); }

HWY_INLINE void add_pair(Halves& sums, const std::uint16_t* of_row, const Halves& columns) {
  std::int32_t pair = 0;
  std::memcpy(&pair, of_row, sizeof pair);
  const __m512 all = _mm512_castsi512_ps(_mm512_set1_epi32(pair));
  sums.left = _mm512_dpbf16_ps(sums.left, as_pairs(all), as_pairs(columns.left));
  sums.right = _mm512_dpbf16_ps(sums.right, as_pairs(all), as_pairs(columns.right));
}

HWY_INLINE void store(const Halves& sums, SumsBegin begin, float* out) {
  Halves before = begin == SumsBegin::with_out ? load(out) : Halves{_mm512_setzero_ps(), _mm512_setzero_ps()};
  _mm512_storeu_ps(out, _mm512_add_ps(before.left, sums.left));
  _mm512_storeu_ps(out + lanes, _mm512_add_ps(before.right, sums.right));
}

/// One of the steps is 2, and the compiler knows which: pairs of a stored row follow each other, as shuffled rows do.
template <bool shuffled>
struct LeftRows {
  const std::uint16_t* data;
  index step;  ///< the other one

  HWY_INLINE const std::uint16_t* pair(index row, index product) const {
    return shuffled ? data + 2 * row + product / 2 * step : data + row * step + product;
  }
  LeftRows from(index row) const { return {pair(row, 0), step}; }
};

template <class Left, int... row>
HWY_NOINLINE void multiply_block(Left left, const std::uint32_t* pairs, index products, SumsBegin begin, float* out,
                                 std::integer_sequence<int, row...>) {
  Halves sums[] = {(static_cast<void>(row), Halves{_mm512_setzero_ps(), _mm512_setzero_ps()})...};
  for (index done = 0; done < products; done += 2, pairs += panel_queries) {
    const Halves columns = load(pairs);
    (add_pair(sums[row], left.pair(row, done), columns), ...);
  }
  (store(sums[row], begin, out + row * panel_queries), ...);
}

/// Blocks of as many rows, and one of what remains.
template <int most, class Left>
void multiply_rows(Left left, index rows, const std::uint32_t* pairs, index products, SumsBegin begin, float* out) {
  index first = 0;
  for (; first + most <= rows; first += most)
    multiply_block(left.from(first), pairs, products, begin, out + first * panel_queries,
                   std::make_integer_sequence<int, most>());
  if constexpr (most > 1)
    if (first < rows)
      multiply_rows<most - 1>(left.from(first), rows - first, pairs, products, begin, out + first * panel_queries);
}

}  // namespace

void multiply_by_dots(PairedCodes left, index rows, const std::uint32_t* pairs, index products, SumsBegin begin,
                      float* out) {
  require(left.pair_step == 2 || left.row_step == 2, "pairs of bf16 lie apart in both directions");
  if (left.pair_step == 2)
    multiply_rows<block_rows>(LeftRows<false>{left.data, left.row_step}, rows, pairs, products, begin, out);
  else
    multiply_rows<block_rows>(LeftRows<true>{left.data, left.pair_step}, rows, pairs, products, begin, out);
}
HWY_POP_ATTRIBUTES

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512bf16")
void pair_rows_by_instruction(const float* panel, index rows, std::uint32_t* pairs) {
  alignas(64) std::uint16_t order[panel_queries];  // of lanes 0 to 15 of two vectors, which follow each other
  for (std::uint16_t i = 0; i < lanes; ++i) order[2 * i] = i, order[2 * i + 1] = static_cast<std::uint16_t>(lanes + i);
  const __m512i in_turn = _mm512_load_si512(order);
  for (index at = 0; at < rows / 2 * panel_queries; at += lanes) {
    const float* first = panel + at / panel_queries * 2 * panel_queries + at % panel_queries;
    const __m512bh both = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(first + panel_queries), _mm512_loadu_ps(first));
    _mm512_storeu_si512(pairs + at, _mm512_permutexvar_epi16(in_turn, reinterpret_cast<__m512i>(both)));
  }
}
HWY_POP_ATTRIBUTES

#else

bool machine_has_dots() { return false; }
bool dots_outrun_floats() { return false; }

void multiply_by_dots(PairedCodes, index, const std::uint32_t*, index, SumsBegin, float*) {
  require(false, "dot products of bf16 are taken where there are none");
}

void pair_rows_by_instruction(const float*, index, std::uint32_t*) {
  require(false, "bf16 are rounded by an instruction where there is none");
}

#endif

}  // namespace attestone::inline backends
