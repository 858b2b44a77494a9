// SPDX-License-Identifier: Apache-2.0
// The norms that all places of a ring need before maxima are fixed for all of them.
#pragma once

#include "backends/distributed/rank/rank.hpp"

namespace attestone::inline backends {

/// The largest norms of rows of Q and K, of each head that the rank holds, at every place of its ring: gathered round
/// it, a message a hop. "norms" [places][1][query heads, kv heads], f32.
Task<Buffer> gather_norms(Rank&, const RankInputs&);

/// True if every query of the ring may refer its scores to a fixed maximum (backends/cpu/attend/fixed_maxima.hpp). All
/// places have the same norms, and so the same answer: none sends what another does not expect.
bool fixed_maxima_hold(const Rank&, const Buffer& norms);

/// The maximum of one of the rank's rows, with the largest norm of all keys of the ring: the same at every step, so
/// that sums of different keys are simply added.
class MaximaByNorms {
 public:
  MaximaByNorms(const Rank&, const LocalQueries&, const Buffer& norms);
  float operator()(index head, index row) const;

 private:
  const Buffer& query_;
  std::vector<double> per_norm_;  ///< [query heads]
};

}  // namespace attestone::inline backends
