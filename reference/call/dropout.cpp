// SPDX-License-Identifier: Apache-2.0
// Asking Philox about one pair.
#include "reference/call/dropout.hpp"

#include <cmath>

#include "reference/random/random.hpp"

namespace attestone {

Dropout::Dropout(const Problem& problem)
    : rate_(problem.dropout),
      seed_(problem.seed),
      threshold_(static_cast<std::uint32_t>(std::floor(problem.dropout * 0x1p32))) {}

bool Dropout::keeps(const Pair& pair) const {
  const auto word = [](index i) { return static_cast<std::uint32_t>(i); };
  return Draw(seed_, {word(pair.batch), word(pair.head), word(pair.query), word(pair.key)}).word(0) >= threshold_;
}

}  // namespace attestone
