// SPDX-License-Identifier: Apache-2.0
// Loops of dots of ones, which count their own steps. Highway has neither; the dots themselves are assembly, since g++
// copies the accumulators of the intrinsics to and fro.
#include "conformance/measure/dot_peak.hpp"

#include <cstddef>
#include <initializer_list>

#include "conformance/measure/rate.hpp"
#include "reference/require.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace attestone {

#if defined(__x86_64__)
namespace {

/// Few enough for f32 to count exactly: each step adds 2.
constexpr std::size_t steps = 100'000;
/// Named one by one, since compilers keep arrays of accumulators in memory: enough to fill two pipes of latency 5.
constexpr int chains = 12;

#define ATTESTONE_WIDE(more) __attribute__((target("avx512f,avx512bw,avx512vl"), more))

ATTESTONE_WIDE(always_inline) inline void add_bf16(__m512& sum, __m512i one) {
  asm("vdpbf16ps %1, %1, %0" : "+v"(sum) : "v"(one));
}
ATTESTONE_WIDE(always_inline) inline void add_int8(__m512i& sum, __m512i one) {
  asm("vpdpbusd %1, %1, %0" : "+v"(sum) : "v"(one));
}

/// `steps` dots of ones in each chain. The chains begin at different numbers, so that none is a copy of another, and
/// must end at that plus 2 a step. Operations done; 0 if a lane is wrong.
ATTESTONE_WIDE(noinline) double bf16_dots(short one_at_run_time) {
  const __m512i one = _mm512_set1_epi16(one_at_run_time);
  __m512 a = _mm512_set1_ps(0), b = _mm512_set1_ps(1), c = _mm512_set1_ps(2), d = _mm512_set1_ps(3);
  __m512 e = _mm512_set1_ps(4), f = _mm512_set1_ps(5), g = _mm512_set1_ps(6), h = _mm512_set1_ps(7);
  __m512 i = _mm512_set1_ps(8), j = _mm512_set1_ps(9), k = _mm512_set1_ps(10), l = _mm512_set1_ps(11);
  for (std::size_t step = 0; step < steps; ++step) {
    add_bf16(a, one), add_bf16(b, one), add_bf16(c, one), add_bf16(d, one), add_bf16(e, one), add_bf16(f, one);
    add_bf16(g, one), add_bf16(h, one), add_bf16(i, one), add_bf16(j, one), add_bf16(k, one), add_bf16(l, one);
  }
  const auto sum = 2 * static_cast<float>(steps);
  __mmask16 wrong = 0;
  float begin = 0;
  for (const __m512& chain : {a, b, c, d, e, f, g, h, i, j, k, l})
    wrong = static_cast<__mmask16>(wrong | _mm512_cmp_ps_mask(chain, _mm512_set1_ps(sum + begin++), _CMP_NEQ_UQ));
  constexpr double operations = 2.0 * 32 * chains;  // of a step: 16 lanes of 2 products
  return wrong ? 0 : operations * static_cast<double>(steps);
}

/// The same for bytes: each step adds 4 in every lane of 32 bits.
ATTESTONE_WIDE(noinline) double int8_dots(char one_at_run_time) {
  const __m512i one = _mm512_set1_epi8(one_at_run_time);
  __m512i a = _mm512_set1_epi32(0), b = _mm512_set1_epi32(1), c = _mm512_set1_epi32(2), d = _mm512_set1_epi32(3);
  __m512i e = _mm512_set1_epi32(4), f = _mm512_set1_epi32(5), g = _mm512_set1_epi32(6), h = _mm512_set1_epi32(7);
  __m512i i = _mm512_set1_epi32(8), j = _mm512_set1_epi32(9), k = _mm512_set1_epi32(10), l = _mm512_set1_epi32(11);
  for (std::size_t step = 0; step < steps; ++step) {
    add_int8(a, one), add_int8(b, one), add_int8(c, one), add_int8(d, one), add_int8(e, one), add_int8(f, one);
    add_int8(g, one), add_int8(h, one), add_int8(i, one), add_int8(j, one), add_int8(k, one), add_int8(l, one);
  }
  int expected = 4 * static_cast<int>(steps);
  __mmask16 wrong = 0;
  for (const __m512i& chain : {a, b, c, d, e, f, g, h, i, j, k, l})
    wrong = static_cast<__mmask16>(wrong | _mm512_cmpneq_epi32_mask(chain, _mm512_set1_epi32(expected++)));
  constexpr double operations = 2.0 * 64 * chains;  // of a step: 16 lanes of 4 products
  return wrong ? 0 : operations * static_cast<double>(steps);
}

bool has_wide_vectors() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

}  // namespace

bool has_bf16_dot() { return has_wide_vectors() && __builtin_cpu_supports("avx512bf16"); }
bool has_int8_dot() { return has_wide_vectors() && __builtin_cpu_supports("avx512vnni"); }

double peak_bf16_flops(int threads, double seconds) {
  if (!has_bf16_dot()) return 0;
  volatile short one = 0x3f80;
  const double flops = rate(threads, seconds, [bits = one](int) { return bf16_dots(bits); });
  require(flops > 0, "a loop of dots of bf16 counts its own steps");
  return flops;
}

double peak_int8_operations(int threads, double seconds) {
  if (!has_int8_dot()) return 0;
  volatile char one = 1;
  const double operations = rate(threads, seconds, [byte = one](int) { return int8_dots(byte); });
  require(operations > 0, "a loop of dots of bytes counts its own steps");
  return operations;
}

#else

bool has_bf16_dot() { return false; }
bool has_int8_dot() { return false; }
double peak_bf16_flops(int, double) { return 0; }
double peak_int8_operations(int, double) { return 0; }

#endif

}  // namespace attestone
