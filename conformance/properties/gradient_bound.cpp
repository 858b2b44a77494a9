// SPDX-License-Identifier: Apache-2.0
// The value bound of gradients: every element within what the declared arithmetic allows.
#include "conformance/property.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

Verdict check(Trial& trial) { return judged(trial.backward().compare_with_truth(trial.backward().answer().gradients)); }

const Registration<Property> registered{{
    .name = "gradient_bound",
    .claim =
        "every element of dQ, dK, dV, dBias and dSink is as near to the truth as the declared arithmetic guarantees",
    .inapplicable = without_gradients,
    .check = check,
}};

}  // namespace
}  // namespace attestone
