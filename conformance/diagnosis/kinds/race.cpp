// SPDX-License-Identifier: Apache-2.0
// Threads that get in each other's way.
#include "conformance/diagnosis/kinds/kind.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// Repeats of a call give other bits with several threads, and equal bits with a single thread. Where bits may change,
/// a single thread is right as well.
Alternatives predictions(const FailureFacts& evidence) {
  const FurtherCall several{.problem = evidence.base, .repeated = true},
      single{.problem = evidence.base, .threads = 1, .repeated = true};
  std::vector<Prediction> all{{several, Of::bits_change}, {single, Of::bits_repeat}, {several, Of::bits_change}};
  if (!evidence.base.deterministic)
    all.insert(all.end(), {{single, Of::passes}, {{evidence.base}, Of::fails}, {single, Of::passes}});
  return {all};
}

const Registration<KindOfFault> registered{{
    .name = "race",
    .says = "the same call gives other bits each time with several threads, and the same ones with one",
    .look_at = "what several threads write, and the order in which they add to it",
    .predictions = predictions,
    .of_calls = true,
    .of_any_property = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
