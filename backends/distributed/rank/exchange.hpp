// SPDX-License-Identifier: Apache-2.0
// The exchanges of a Ulysses group: own rows of all heads become all rows of own heads, and back.
#pragma once

#include "backends/distributed/rank/rank.hpp"

namespace attestone::inline backends {

/// Whose rows and heads a tensor has: those of Q and O, or those of K and V.
enum class Side { queries, keys };

/// Exchanges of a rank: begun one after the other, and awaited together.
class Exchanges {
 public:
  explicit Exchanges(Rank& rank) : rank_(rank) {}

  /// Room for all rows of the rank's own heads, or copies of heads, and the exchange that fills it, under way. `own`
  /// has all heads that there are.
  Buffer to_heads(Side, const char* name, const Buffer& own);
  /// Room for the rank's own rows of the heads of all members, or of all copies of them, likewise: where members have
  /// a chunk of their heads those alone, member after member.
  Buffer to_rows(Side, const char* name, const Buffer& all);
  /// Waits for all exchanges that were begun.
  Task<> finished() { return all_of(std::exchange(under_way_, {})); }

 private:
  Rank& rank_;
  std::vector<Request> under_way_;
};

}  // namespace attestone::inline backends
