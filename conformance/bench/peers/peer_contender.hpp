// SPDX-License-Identifier: Apache-2.0
// Peers as contenders: what others compute attention with, in processes that speak lines of JSON (docs/bench.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conformance/bench/bench_result.hpp"
#include "conformance/bench/contender.hpp"

namespace attestone::inline conformance {

/// The command that starts peers, and how long one may take to answer.
struct PeerLine {
  std::string line;  ///< for a shell; with the word `list`, or the name of a peer, behind it
  double seconds = 60;
};

/// The peers that the line offers. UserError if it does not answer as it should.
std::vector<PeerFacts> listed_peers(const PeerLine&);

/// The peer of that name: a fresh process for each problem and number of threads.
std::unique_ptr<Contender> peer_contender(const PeerLine&, const std::string& name);

/// The environment in which a peer begins: every library's own way to say how many threads it has.
std::vector<std::pair<std::string, std::string>> thread_variables(int threads);

}  // namespace attestone::inline conformance
