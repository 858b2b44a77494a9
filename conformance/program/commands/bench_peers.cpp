// SPDX-License-Identifier: Apache-2.0
// From the line and the names to peers.
#include "conformance/program/commands/bench_peers.hpp"

#include <algorithm>

#include "conformance/bench/peers/peer_contender.hpp"

namespace attestone::inline conformance {
namespace {

/// True if the peer was named, or if none was.
bool is_asked(const PeerFacts& peer, const std::vector<NamedPart>& names) {
  return names.empty() ||
         std::any_of(names.begin(), names.end(), [&](const NamedPart& n) { return n.text == peer.name; });
}

}  // namespace

AskedPeers peers_of(const BenchRequest& request) {
  if (request.peers.empty()) return {};
  const std::vector<NamedPart>& names = request.peer_names;
  const PeerLine line{request.peers, request.kernels.limits.limits.seconds};
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
