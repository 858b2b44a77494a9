// SPDX-License-Identifier: Apache-2.0
// Ratios of rounds, their medians, and the mean of these.
#include "conformance/bench/standing.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "conformance/bench/spread.hpp"

namespace attestone::inline conformance {
namespace {

bool is_peer(const BenchResult& result, const Entry& entry) {
  return std::any_of(result.peers.begin(), result.peers.end(),
                     [&](const PeerFacts& peer) { return peer.name == entry.contender; });
}

/// The fastest peer of a cell, and its seconds round by round; the name is that of the peer with the least median.
struct Fastest {
  std::string name;
  std::vector<double> seconds;
};

Fastest fastest_of(const BenchResult& result, const BenchCell& cell) {
  Fastest fastest;
  double least = 0;
  for (const Entry& entry : cell.entries) {
    if (!is_peer(result, entry) || entry.seconds.empty()) continue;
    if (fastest.seconds.empty()) fastest.seconds = entry.seconds;
    for (std::size_t i = 0; i < entry.seconds.size(); ++i)
      fastest.seconds[i] = std::min(fastest.seconds[i], entry.seconds[i]);
    if (const double median = median_of(entry.seconds); fastest.name.empty() || median < least)
      fastest.name = entry.contender, least = median;
  }
  return fastest;
}

}  // namespace

std::vector<Standing> standings(const BenchResult& result) {
  std::map<std::pair<std::string, std::string>, Standing> all;
  for (const BenchCell& cell : result.cells) {
    const Fastest fastest = fastest_of(result, cell);
    if (fastest.seconds.empty()) continue;
    for (const Entry& entry : cell.entries) {
      if (is_peer(result, entry) || entry.seconds.empty()) continue;
      std::vector<double> ratios;
      for (std::size_t i = 0; i < entry.seconds.size(); ++i) ratios.push_back(fastest.seconds[i] / entry.seconds[i]);
      const double ratio = median_of(ratios);
      const std::string kind =
          fmt::format("{}, {}", cell.problem.backward ? "backward" : "forward", cell.problem.input.name);
      Standing& standing = all[{entry.contender, kind}];
      if (standing.cells == 0 || ratio < standing.least) {
        standing.least = ratio;
        standing.least_in = fmt::format("{}, {} thread{}, against {}", cell.problem.text(), cell.threads,
                                        cell.threads == 1 ? "" : "s", fastest.name);
      }
      standing.contender = entry.contender, standing.kind = kind;
      standing.geometric_mean += std::log(ratio);
      ++standing.cells;
    }
  }
  std::vector<Standing> in_order;
  for (auto& [key, standing] : all) {
    standing.geometric_mean = std::exp(standing.geometric_mean / static_cast<double>(standing.cells));
    in_order.push_back(standing);
  }
  return in_order;
}

}  // namespace attestone::inline conformance
