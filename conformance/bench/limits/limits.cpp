// SPDX-License-Identifier: Apache-2.0
// From the name of a limit to the loop that measures it.
#include "conformance/bench/limits/limits.hpp"

#include <algorithm>

#include "backends/cpu/simd/bfloat16_instructions.hpp"
#include "conformance/bench/limits/dot_peak.hpp"
#include "conformance/bench/limits/exponentials.hpp"
#include "conformance/bench/limits/peak.hpp"
#include "conformance/bench/limits/tile_peak.hpp"
#include "reference/require.hpp"

namespace attestone::inline conformance {

const std::vector<LimitKind>& limit_kinds() {
  static const std::vector<LimitKind> all{
      {"f32", "Gflop/s", "multiply-adds of f32, two operations each"},
      {"f64", "Gflop/s", "multiply-adds of f64"},
      {"bf16", "Gflop/s", "dots of bf16 pairs that add up in f32 (vdpbf16ps)"},
      {"bf16_tile", "Gflop/s", "products of bf16 tiles that add up in f32 (tdpbf16ps)"},
      {"int8", "Gop/s", "dots of int8 quads that add up in int32 (vpdpbusd)"},
      {"read", "GB/s", "reads of memory beyond the last cache"},
      {"copy", "GB/s", "copies of it: bytes read plus bytes written"},
      {"exp", "G/s", "exponentials of f32, polynomial of degree 6, in the first cache"},
  };
  return all;
}

Bandwidth& Limits::bandwidth() {
  if (!bandwidth_) {
    const std::size_t of_all = bytes_beyond_caches();
    bandwidth_ = std::make_unique<Bandwidth>(threads_, of_all / static_cast<std::size_t>(threads_));
  }
  return *bandwidth_;
}

std::optional<double> Limits::burst(std::string_view name) {
  if (name == "f32") return peak_f32_flops(threads_);
  if (name == "f64") return peak_f64_flops(threads_);
  if (name == "bf16" && has_bf16_dot()) return peak_bf16_flops(threads_);
  if (name == "bf16_tile" && machine_has_tiles()) return peak_bf16_tile_flops(threads_);
  if (name == "int8" && has_int8_dot()) return peak_int8_operations(threads_);
  if (name == "read") return bandwidth().read();
  if (name == "copy") return bandwidth().copy();
  if (name == "exp") return peak_exponentials(threads_);
  return std::nullopt;
}

std::optional<double> Limits::measure(std::string_view name) {
  constexpr int bursts = 3;
  std::optional<double> best;
  for (int i = 0; i < bursts; ++i) {
    const std::optional<double> rate = burst(name);
    if (!rate) return std::nullopt;
    best = std::max(best.value_or(0), *rate);
  }
  return best;
}

}  // namespace attestone::inline conformance
