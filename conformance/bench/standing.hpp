// SPDX-License-Identifier: Apache-2.0
// How kernels stand against the fastest peer, over all cells of a kind.
#pragma once

#include <string>
#include <vector>

#include "conformance/bench/bench_result.hpp"

namespace attestone::inline conformance {

/// One kernel against whichever peer was the fastest in each cell.
struct Standing {
  std::string contender;
  std::string kind;           ///< "forward, f32"
  std::size_t cells = 0;      ///< in which both were timed
  double geometric_mean = 0;  ///< of how many times as fast it was
  double least = 0;           ///< the same, in the cell where it was worst
  std::string least_in;       ///< "shape=1x8x512x512x64, 2 threads, against torch_flash"
};

/// A ratio of a cell is the median over its rounds: each round has its own fastest peer.
std::vector<Standing> standings(const BenchResult&);

}  // namespace attestone::inline conformance
