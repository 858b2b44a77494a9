// SPDX-License-Identifier: Apache-2.0
// The limits that are measured keep to what every machine's do: none is zero, wide formats are not the faster ones.
#include "conformance/measure/limits.hpp"

#include <gtest/gtest.h>

#include "conformance/measure/bandwidth.hpp"
#include "conformance/measure/dot_peak.hpp"

namespace attestone {
namespace {

TEST(Limits, AreMeasuredWhereTheProcessorHasThem) {
  Limits limits(1);
  for (const LimitKind& kind : limit_kinds()) {
    const std::optional<double> rate = limits.measure(kind.name);
    const bool absent = (kind.name == "bf16" && !has_bf16_dot()) || (kind.name == "int8" && !has_int8_dot());
    EXPECT_EQ(!rate, absent) << kind.name;
    EXPECT_GT(rate.value_or(1e9), 1e6) << kind.name;
  }
  EXPECT_EQ(limits.measure("f33"), std::nullopt);
}

TEST(Limits, AreThoseOfTheInstructionsThatTheyName) {
  Limits limits(1);
  // Half as many lanes; a machine that is busy with other things takes no more than its share of the three bursts.
  EXPECT_LT(limits.measure("f64").value(), limits.measure("f32").value());
  if (has_int8_dot()) {
    EXPECT_GT(limits.measure("int8").value(), 2 * limits.measure("f32").value());
  }
  if (!has_bf16_dot()) {
    EXPECT_EQ(peak_bf16_flops(1), 0);
  }
}

TEST(Limits, ReadFasterWhatIsNear) {
  constexpr std::size_t near = 1 << 14;
  EXPECT_GT(Bandwidth(1, near).read(), Limits(1).measure("read").value());
  EXPECT_GT(Bandwidth(1, near).copy(), 0);
  EXPECT_GE(bytes_beyond_caches(), std::min<std::size_t>(last_cache_bytes(), std::size_t{64} << 20));
}

}  // namespace
}  // namespace attestone
