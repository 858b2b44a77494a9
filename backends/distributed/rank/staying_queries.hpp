// SPDX-License-Identifier: Apache-2.0
// The backward pass of queries that stay on their rank while keys pass.
#pragma once

#include "backends/distributed/rank/key_value.hpp"

namespace attestone::inline backends {

/// delta of the queries' rows, and the sum of their dQ in f32. O is let go, where the local kernel does not read it.
class StayingQueries {
 public:
  StayingQueries(Rank&, RankSaved&);

  /// The queries' share in dK and dV of some keys, in this format, each rounded once; adds to dQ. Nothing if no
  /// query sees any of them, unless it is wanted even then.
  std::optional<KeyValue> share(const LocalKeys&, const DType&, bool even_of_nothing);
  /// Lets everything of the queries go, and rounds: dQ, then the sums of dK and dV to this format. Only once.
  RankGradients finish(const KeyValue& sums, const DType& key_gradients);

 private:
  Rank& rank_;
  RankSaved& saved_;
  LocalQueries queries_;
  Buffer delta_, dquery_;
};

}  // namespace attestone::inline backends
