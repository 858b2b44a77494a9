// SPDX-License-Identifier: Apache-2.0
// Elements that nobody writes.
#include "conformance/diagnosis/kinds/kind.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// Elements hold what stood there before the call, whatever that was.
Alternatives predictions(const FailureFacts& evidence) {
  const auto call = [&](std::uint64_t seed) {
    return FurtherCall{.problem = with_seed(evidence.base, seed), .over_two_poisons = true};
  };
  return {{{call(281), Of::leaves_unwritten}, {call(282), Of::leaves_unwritten}}};
}

const Registration<KindOfFault> registered{{
    .name = "uninitialised_memory",
    .says = "elements of an answer are never written: they hold what stood there before",
    .look_at = "rows and tiles that are skipped because they have nothing to add: they are to be written as zeros",
    .predictions = predictions,
    .of_any_property = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
