// SPDX-License-Identifier: Apache-2.0
// Four products at a time: those of q + 128, which has no sign, less 128 times the sum of the other row.
#include "backends/cpu/simd/integer_products.hpp"

#include <cstring>
#include <hwy/base.h>

#include "reference/require.hpp"

#if HWY_ARCH_X86_64
#include <immintrin.h>
#endif

namespace attestone::inline backends {
namespace {

constexpr std::int32_t raised_by = 128;

/// Four numbers of a row, each raised by 128: as complements of two that is another highest bit.
std::uint32_t raised_quad(const std::int8_t* numbers) {
  std::uint32_t quad = 0;
  std::memcpy(&quad, numbers, sizeof quad);
  return quad ^ 0x80808080u;
}

std::int32_t quad_product(std::uint32_t raised, std::uint32_t numbers) {
  std::int32_t sum = 0;
  for (int shift = 0; shift < 32; shift += 8)
    sum += static_cast<std::uint8_t>(raised >> shift) * static_cast<std::int8_t>(numbers >> shift);
  return sum;
}

}  // namespace

void multiply_integers_as_dots(const std::int8_t* row, const QuadRows& rows, index count, std::int32_t* products) {
  for (index r = 0; r < count; ++r) products[r] = -raised_by * rows.sums[r];
  for (index q = 0; q < rows.quads_of_row; ++q) {
    const std::uint32_t raised = raised_quad(row + q * QuadRows::channels);
    const std::uint32_t* quads = rows.quads + q * rows.rows;
    for (index r = 0; r < count; ++r) products[r] += quad_product(raised, quads[r]);
  }
}

#if HWY_ARCH_X86_64

bool machine_has_integer_dots() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni");
  return has;
}

HWY_PUSH_ATTRIBUTES("avx512f,avx512vnni")
void multiply_integers_by_dots(const std::int8_t* row, const QuadRows& rows, index count, std::int32_t* products) {
  for (index first = 0; first < count; first += QuadRows::rows_together) {
    __m512i sums = _mm512_mullo_epi32(_mm512_loadu_si512(rows.sums + first), _mm512_set1_epi32(-raised_by));
    for (index q = 0; q < rows.quads_of_row; ++q) {
      const auto raised = static_cast<std::int32_t>(raised_quad(row + q * QuadRows::channels));
      sums =
          _mm512_dpbusd_epi32(sums, _mm512_set1_epi32(raised), _mm512_loadu_si512(rows.quads + q * rows.rows + first));
    }
    _mm512_storeu_si512(products + first, sums);
  }
}
HWY_POP_ATTRIBUTES

#else

bool machine_has_integer_dots() { return false; }

void multiply_integers_by_dots(const std::int8_t*, const QuadRows&, index, std::int32_t*) {
  require(false, "dot products of integers are taken where there are none");
}

#endif

void multiply_integers(const std::int8_t* row, const QuadRows& rows, index count, std::int32_t* products) {
  (machine_has_integer_dots() ? multiply_integers_by_dots : multiply_integers_as_dots)(row, rows, count, products);
}

}  // namespace attestone::inline backends
