// SPDX-License-Identifier: Apache-2.0
// Gradients are linear in the gradient of the output.
#include <fmt/format.h>

#include "conformance/properties/property.hpp"
#include "reference/registry.hpp"

namespace attestone::inline conformance {
namespace {

/// Every element times -1, which no format rounds.
void negate(const View& view) {
  for_each_element(view, [&](index b, index h, index r, index c) { view.set(b, h, r, c, -view.value(b, h, r, c)); });
}

Verdict check(Trial& trial) {
  const Comparison plain = trial.backward().compare_with_truth(trial.backward().answer().gradients);
  Inputs negated = trial.inputs();
  negate(negated.dout->view());
  Gradients changed = trial.backward().run(negated, trial.answer().outputs).gradients;
  for (Tensor* tensor : {&changed.query, &changed.key, &changed.value})
    if (tensor->exists()) negate(tensor->view());
  for (std::optional<Tensor>* tensor : {&changed.bias, &changed.sink})
    if (*tensor) negate((*tensor)->view());
  return metamorphic(plain, trial.backward().compare_with_truth(changed), "gradient-not-linear",
                     "with -dout in place of dout, and the gradients negated");
}

const Registration<Property> registered{{
    .name = "gradient_sign",
    .claim = "the gradients for -dout are the negated gradients for dout",
    .inapplicable = without_gradients,
    .check = check,
    .relation = true,
}};

}  // namespace
}  // namespace attestone::inline conformance
