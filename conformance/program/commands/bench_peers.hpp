// SPDX-License-Identifier: Apache-2.0
// Which peers `attestone bench` was asked for.
#pragma once

#include <memory>
#include <vector>

#include "conformance/bench/bench_result.hpp"
#include "conformance/program/request/bench_request.hpp"

namespace attestone::inline conformance {

/// The peers that were asked for, and those of them that are there.
struct AskedPeers {
  std::vector<PeerFacts> facts;
  std::vector<std::unique_ptr<Contender>> contenders;
};

/// Asks the line that starts peers, if there is one. UserError if it does not answer, or knows no peer of a name that
/// was given.
AskedPeers peers_of(const BenchRequest&);

}  // namespace attestone::inline conformance
