// SPDX-License-Identifier: Apache-2.0
// Which peers `attestone bench` was asked for.
#pragma once

#include <memory>
#include <vector>

#include "conformance/bench/bench_result.hpp"
#include "conformance/program/commands.hpp"

namespace attestone::inline conformance {

/// The peers that were asked for, and those of them that are there.
struct AskedPeers {
  std::vector<PeerFacts> facts;
  std::vector<std::unique_ptr<Contender>> contenders;
};

/// Asks the line of --peers. UserError if it does not answer, or knows no peer of a name that was given.
AskedPeers peers_of(const BenchCommand&);

}  // namespace attestone::inline conformance
