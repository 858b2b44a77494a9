// SPDX-License-Identifier: Apache-2.0
// A bias that attestone does not have: a penalty for the distance that grows no further behind the eighth key.
#include <algorithm>
#include <cstdlib>

#include "reference/registry.hpp"
#include "reference/scores/score.hpp"

namespace attestone {
namespace {

const Registration<BiasRule> registered{{
    .name = "clipped_distance",
    .summary = "adds -x * min(|position - key|, 8), x rounded to f32 first; x > 0",
    .noun = "clipped distances",
    .takes_number = true,
    .add_biases =
        [](const Shape&, const Sequence& sequence, double x, const Pair& first, std::span<double> row) {
          index distance = sequence.position(first.query) - first.key;
          for (double& score : row)
            score -= static_cast<float>(x) * static_cast<double>(std::min<index>(std::abs(distance--), 8));
        },
}};

}  // namespace
}  // namespace attestone
