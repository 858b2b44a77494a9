// SPDX-License-Identifier: Apache-2.0
// Loops of dots of ones, which count their own steps. In assembly: Highway has neither dot, and g++ copies the
// accumulators of intrinsics to and fro.
#include "conformance/bench/limits/dot_peak.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include "conformance/bench/limits/rate.hpp"
#include "reference/require.hpp"

namespace attestone::inline conformance {

#if defined(__x86_64__)
namespace {

/// Few enough for f32 to count exactly: each step adds 2.
constexpr std::uint64_t steps = 100'000;
/// Independent sums, one a register: enough to fill two pipes of latency 10.
constexpr int chains = 24, lanes = 16;

// Repeats a step for each chain: load, add, store.
#define ATTESTONE_EACH_CHAIN(what)                                                                                    \
  what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7) what(8) what(9) what(10) what(11) what(12) what(13) \
      what(14) what(15) what(16) what(17) what(18) what(19) what(20) what(21) what(22) what(23)
#define ATTESTONE_LOAD(n) "vmovups " #n "*64(%[sums]), %%zmm" #n "\n"
#define ATTESTONE_STORE(n) "vmovups %%zmm" #n ", " #n "*64(%[sums])\n"
#define ATTESTONE_BF16_DOT(n) "vdpbf16ps %%zmm31, %%zmm31, %%zmm" #n "\n"
#define ATTESTONE_INT8_DOT(n) "vpdpbusd %%zmm31, %%zmm31, %%zmm" #n "\n"
#define ATTESTONE_CLOBBERED                                                                                         \
  "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
      "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",   \
      "xmm31"
#define ATTESTONE_DOTS(dot) \
  asm volatile("vpbroadcastd %[ones], %%zmm31\n" ATTESTONE_EACH_CHAIN(ATTESTONE_LOAD) "1:\n"     \
               ATTESTONE_EACH_CHAIN(dot) "dec %[count]\n"                                        \
               "jnz 1b\n" ATTESTONE_EACH_CHAIN(ATTESTONE_STORE) "vzeroupper\n"                   \
               : [count] "+r"(count)                                                             \
               : [ones] "r"(ones), [sums] "r"(sums.data())                                       \
               : ATTESTONE_CLOBBERED)

/// Sums that differ, so that none is a copy of another: lane by lane 0, 1, 2, ...
template <class T>
std::array<T, chains * lanes> first_sums() {
  std::array<T, chains * lanes> sums;
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<T>(i);
  return sums;
}

/// The operations of the loop, `products` in each lane and step; 0 if a lane has not counted all steps.
template <class T>
double operations_of(const std::array<T, chains * lanes>& sums, int products) {
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sums[i] != static_cast<T>(i + static_cast<std::size_t>(products) * steps)) return 0;
  return 2.0 * products * chains * lanes * static_cast<double>(steps);
}

__attribute__((target("avx512f"))) double bf16_dots() {
  std::uint64_t count = steps;
  const std::uint32_t ones = 0x3f80'3f80;
  auto sums = first_sums<float>();
  ATTESTONE_DOTS(ATTESTONE_BF16_DOT);
  return operations_of(sums, 2);
}

__attribute__((target("avx512f"))) double int8_dots() {
  std::uint64_t count = steps;
  const std::uint32_t ones = 0x0101'0101;
  auto sums = first_sums<std::int32_t>();
  ATTESTONE_DOTS(ATTESTONE_INT8_DOT);
  return operations_of(sums, 4);
}

}  // namespace

bool has_bf16_dot() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bf16"); }
bool has_int8_dot() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni"); }

double peak_bf16_flops(int threads, double seconds) {
  if (!has_bf16_dot()) return 0;
  const double flops = rate(threads, seconds, [](int) { return bf16_dots(); });
  require(flops > 0, "a loop of dots of bf16 counts its own steps");
  return flops;
}

double peak_int8_operations(int threads, double seconds) {
  if (!has_int8_dot()) return 0;
  const double operations = rate(threads, seconds, [](int) { return int8_dots(); });
  require(operations > 0, "a loop of dots of bytes counts its own steps");
  return operations;
}

#else

bool has_bf16_dot() { return false; }
bool has_int8_dot() { return false; }
double peak_bf16_flops(int, double) { return 0; }
double peak_int8_operations(int, double) { return 0; }

#endif

}  // namespace attestone::inline conformance
