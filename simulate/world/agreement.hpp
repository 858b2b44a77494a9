// SPDX-License-Identifier: Apache-2.0
// All members of a group begin the same operations in the same order: held against each other as soon as two have.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/distributed/messages/communicator.hpp"

namespace attestone::inline simulate {

/// Holds what the members of a group begin against each other.
class Agreement {
 public:
  /// KernelFault if a member has begun another operation with this number.
  void begun(index rank, const Group&, const Signature&);

  /// An operation that one rank has begun and another, who `may_not` begin any more, has not: as a sentence.
  template <class MayNot>
  std::optional<std::string> missing(MayNot may_not) const {
    for (const auto& [group, history] : histories_)
      for (std::size_t place = 0; place < history.begun.size(); ++place)
        if (const index rank = group.second[place]; history.begun[place] < history.most() && may_not(rank))
          return text(group.first, rank, history, history.begun[place]);
    return std::nullopt;
  }

 private:
  /// An operation as it was first begun.
  struct First {
    index rank = 0;
    Signature signature;
    index members = 0;  ///< how many have begun it
  };
  struct History {
    std::vector<index> begun;   ///< operations, by place
    index done = 0;             ///< operations that all have begun
    std::deque<First> waiting;  ///< those after them

    index most() const { return done + static_cast<index>(waiting.size()); }
  };
  static std::string text(const std::string& group, index rank, const History&, index begun);

  std::map<std::pair<std::string, std::vector<index>>, History> histories_;  ///< by name and members
};

}  // namespace attestone::inline simulate
