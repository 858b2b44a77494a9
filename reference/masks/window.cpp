// SPDX-License-Identifier: Apache-2.0
// A band of keys around each query's own position.
#include "reference/mask.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Registration<MaskRule> registered{{
    .name = "window",
    .summary = "a query at position p sees keys p - left to p + right, both included; -1 is unbounded",
    .arguments = "left:right",
    .argument_count = 2,
    .least_argument = -1,
    .allows =
        [](const MaskPoint& at, std::span<const index> arguments) {
          const index beyond = at.pair.key - at.sequence.position(at.pair.query), left = arguments[0],
                      right = arguments[1];
          return (left < 0 || -beyond <= left) && (right < 0 || beyond <= right);
        },
}};

}  // namespace
}  // namespace attestone
