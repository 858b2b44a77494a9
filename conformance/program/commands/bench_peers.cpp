// SPDX-License-Identifier: Apache-2.0
// From the line and the names to peers.
#include "conformance/program/commands/bench_peers.hpp"

#include <algorithm>

#include "conformance/bench/peers/peer_contender.hpp"
#include "conformance/program/commands/named.hpp"
#include "conformance/program/commands/run_kernels.hpp"

namespace attestone::inline conformance {
namespace {

/// Whether the peer is one of those that were named; all are where none was.
bool is_asked(const PeerFacts& peer, const std::vector<NamedPart>& names) {
  return names.empty() ||
         std::any_of(names.begin(), names.end(), [&](const NamedPart& n) { return n.text == peer.name; });
}

}  // namespace

AskedPeers peers_of(const BenchCommand& command) {
  const std::vector<NamedPart> names = parts_of("--peer", command.peer_names);
  if (command.peers.empty()) {
    if (names.empty()) return {};
    throw UserError("which program are these peers asked of?", names.front().place,
                    "add --peers='.venv/bin/python benchmarks/peers/peer.py'; ./run peers does it all");
  }
  PeerLine line{command.peers};
  if (!command.timeout.empty()) line.seconds = seconds_of("--timeout", command.timeout);
  const std::vector<PeerFacts> listed = listed_peers(line);
  std::vector<std::string> known;
  for (const PeerFacts& peer : listed) known.push_back(peer.name);
  for (const NamedPart& name : names)
    if (std::find(known.begin(), known.end(), name.text) == known.end())
      throw UserError("unknown peer '" + name.text + "'", name.place, did_you_mean(name.text, known));
  AskedPeers asked;
  for (const PeerFacts& peer : listed) {
    if (!is_asked(peer, names)) continue;
    asked.facts.push_back(peer);
    if (peer.absent.empty()) asked.contenders.push_back(peer_contender(line, peer.name));
  }
  return asked;
}

}  // namespace attestone::inline conformance
