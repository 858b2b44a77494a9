// SPDX-License-Identifier: Apache-2.0
// One of the two ways along an open line, as a rank sees it.
#pragma once

#include "backends/distributed/rank/key_value.hpp"

namespace attestone::inline backends {

/// The shard on its way to a rank, and the one that leaves it meanwhile; both are optional, and are awaited apart.
struct LineHop {
  std::optional<KeyValue> coming;
  LineStep step;

  Task<> arrived() { return all_of(std::move(step.arriving)); }
  Task<> left() { return all_of(std::move(step.leaving)); }
  Task<> finished();
};

/// Keys move this way, and sums of their gradients against it, home. The keys here at a step are those of the place so
/// many steps behind; a line that ends before has none.
class LineWay {
 public:
  /// direction: 1 if the keys of lower places pass here, -1 if those of higher ones do.
  LineWay(Rank&, index direction);

  /// Places whose keys pass here, and places that they go on to.
  index behind() const { return behind_; }
  index ahead() const { return ahead_; }
  /// True if the keys of the place so far behind pass here.
  bool has(index distance) const { return distance > 0 && distance <= behind_; }
  const HeldRows& rows(index distance) const { return rank_.keys.of_ring(rank_.ring.place - direction_ * distance); }

  /// Keys: `out` goes on, if it is there and the line does; those of the place at this distance come, if there are any.
  /// Under way on return.
  LineHop pass_on(const KeyValue* out, index coming, Messages, From = From::current()) const;
  /// Rotates a line without ends: beyond its ends there are zeros, as many as keys of the last place.
  LineHop rotate(const KeyValue& out, index coming, Messages, From = From::current()) const;
  /// Against the keys' way `out` goes home, if it is there; what comes, under this name and in this format, may be of
  /// the rank's own keys, at distance 0. Nothing comes from beyond the end of the line.
  LineHop pass_back(const KeyValue* out, const char* name, const DType& format, index coming, Messages,
                    From = From::current()) const;

 private:
  LineHop pass(index steps, const KeyValue* out, std::optional<KeyValue> room, Messages, From) const;
  KeyValue room(const char* name, const DType& format, index distance) const;

  Rank& rank_;
  index direction_, behind_, ahead_;
};

/// A way, the keys on it that are here, and those that come.
struct LineStream {
  LineWay way;
  std::optional<KeyValue> current = {};
  LineHop next = {};
};

}  // namespace attestone::inline backends
