// SPDX-License-Identifier: Apache-2.0
// The limits that are measured keep to what every machine's do: none is zero, wide formats are not the faster ones.
// alone: measures how fast the machine is
#include "conformance/bench/limits/limits.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

#include "backends/cpu/simd/bfloat16_instructions.hpp"
#include "conformance/bench/limits/bandwidth.hpp"
#include "conformance/bench/limits/dot_peak.hpp"
#include "conformance/bench/limits/tile_peak.hpp"
#include "tests/sanitizers.hpp"

namespace attestone {
namespace {

// slow: measures every limit of the machine
TEST(Limits, AreMeasuredWhereTheProcessorHasThem) {
  Limits limits(1);
  for (const LimitKind& kind : limit_kinds()) {
    const std::optional<double> rate = limits.measure(kind.name);
    const bool absent = (kind.name == "bf16" && !has_bf16_dot()) ||
                        (kind.name == "bf16_tile" && !machine_has_tiles()) || (kind.name == "int8" && !has_int8_dot());
    EXPECT_EQ(!rate, absent) << kind.name;
    EXPECT_GT(rate.value_or(1e9), 1e6) << kind.name;
  }
  EXPECT_EQ(limits.measure("f33"), std::nullopt);
}

using Rate = std::function<double()>;

/// True if one rate is more than `times` another. Measures both in turns until it is, for a while: other work on the
/// machine may slow either one, but nothing makes a loop faster than it can be.
bool exceeds(const Rate& more, double times, const Rate& less) {
  constexpr int most_tries = 200;
  double best = 0, best_of_less = 0;
  for (int tried = 0; tried < most_tries && !(best > times * best_of_less && best_of_less > 0); ++tried) {
    best_of_less = std::max(best_of_less, less());
    best = std::max(best, more());
  }
  return best > times * best_of_less;
}

bool exceeds(Limits& limits, const char* more, double times, const char* less) {
  return exceeds([&] { return limits.measure(more).value(); }, times, [&] { return limits.measure(less).value(); });
}

TEST(Limits, AreThoseOfTheInstructionsThatTheyName) {
  Limits limits(1);
  EXPECT_TRUE(exceeds(limits, "f32", 1.5, "f64")) << "twice as many lanes";
  EXPECT_TRUE(!has_int8_dot() || exceeds(limits, "int8", 2.5, "f32")) << "four times as many products";
  EXPECT_TRUE(!machine_has_tiles() || exceeds(limits, "bf16_tile", 2.5, "f32"));
  EXPECT_TRUE(has_bf16_dot() || peak_bf16_flops(1) == 0);
}

TEST(Limits, ReadFasterWhatIsNear) {
  constexpr std::size_t near = 1 << 14;
  constexpr double times = 1.5;  // 4.7 on two slow cores with AVX2
  Limits limits(1);
  Bandwidth in_cache(1, near);
  // A sanitized loop checks its reads one by one, which takes longer than they do.
  EXPECT_TRUE(address_is_sanitized || thread_is_sanitized ||
              exceeds([&] { return in_cache.read(); }, times, [&] { return limits.measure("read").value(); }));
  EXPECT_GT(in_cache.copy(), 0);
  EXPECT_GE(bytes_beyond_caches(), std::min<std::size_t>(last_cache_bytes(), std::size_t{64} << 20));
}

}  // namespace
}  // namespace attestone
