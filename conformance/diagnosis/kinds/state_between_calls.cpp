// SPDX-License-Identifier: Apache-2.0
// State that a call leaves behind for the next one.
#include "conformance/diagnosis/kinds/kind.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

using Of = Prediction::Of;
using Alternatives = std::vector<std::vector<Prediction>>;

/// The first call of a process passes, and the same call again fails.
Alternatives predictions(const FailureFacts& evidence) {
  const FurtherCall first{.problem = evidence.base, .fresh = true}, again{.problem = evidence.base};
  return {{{first, Of::passes}, {again, Of::fails}, {first, Of::passes}, {again, Of::fails}}};
}

const Registration<KindOfFault> registered{{
    .name = "state_between_calls",
    .says = "the first call of a process is right, and later ones are not",
    .look_at = "what is kept from call to call: caches and their keys, counters, workspaces that are not cleared",
    .predictions = predictions,
    .of_calls = true,
    .of_any_property = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
