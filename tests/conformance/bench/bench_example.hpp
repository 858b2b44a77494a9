// SPDX-License-Identifier: Apache-2.0
// A result of a bench, as large as tests of its formats need it.
#pragma once

#include "conformance/bench/bench_result.hpp"

namespace attestone {

/// Two contenders at two lengths on one and two threads: "quick" grows as the square and is twice as fast with two
/// threads, "slow" as the power 1; a third is skipped, a fourth misbehaved.
inline BenchResult bench_example() {
  BenchResult result;
  result.version = "0", result.compiler = "C", result.instruction_set = "NONE", result.date = "2026-01-02";
  result.processor = "A processor <with> \"marks\" & more", result.system = "S";
  result.rounds = 2, result.largest_move = 0.05, result.cells_asked = 5;
  for (const int threads : {1, 2})
    result.limits.push_back(
        {threads, {{"f32", "Gflop/s", 1e11 * threads}, {"bf16", "Gflop/s", std::nullopt}, {"read", "GB/s", 1e10}}});
  result.peers = {{"slow <&>", "near 1.0", "what it is", ""}, {"far", "", "", "no package far"}};
  for (const int tokens : {512, 1024})
    for (const int threads : {1, 2}) {
      BenchCell cell{parse_problem("shape=1x8x" + std::to_string(tokens) + "x" + std::to_string(tokens) + "x64"),
                     threads, "f32"};
      const double size = tokens / 512.0;
      cell.flops = cell.amount = 5e8 * size * size, cell.bytes = 2e6 * size;
      cell.rates = {1e11 * threads, 1e11 * threads};
      const double quick = 0.01 * size * size / threads, slow = 0.02 * size;
      cell.entries = {{"quick", "", "", {quick, quick}, {0.5, 0.5}, PeakMemory{0x1p20, "allocations"}},
                      {"slow <&>", "", "", {slow, 2 * slow}, {0.25, 0.125}, PeakMemory{0x1p21, "added"}, {"as it is"}},
                      {"picky", "takes nothing", ""},
                      {"broken", "", "died"}};
      result.cells.push_back(cell);
    }
  result.cells.back().unsteady_rounds = 3;
  return result;
}

}  // namespace attestone
