// SPDX-License-Identifier: Apache-2.0
// Filling tensors with poison.
#include "conformance/trial/poison.hpp"

#include <limits>

namespace attestone::inline conformance {
namespace {

constexpr double huge = 0x1p100;  // finite where the format has it; a kernel that hides NaN does not hide this

}  // namespace

void poison(Tensor& tensor, Poison poison) {
  const double value = poison == Poison::nan ? std::numeric_limits<double>::quiet_NaN() : huge;
  tensor.fill_code(tensor.view().dtype().encode(value, Rounding::nearest_even, Overflow::saturate));
}

Outputs poisoned_outputs(const Problem& problem, Poison kind) {
  Outputs outputs(problem);
  poison(outputs.out, kind);
  poison(outputs.log_sum_exp, kind);
  if (outputs.max_logits) poison(*outputs.max_logits, kind);
  return outputs;
}

Gradients poisoned_gradients(const Problem& problem, Poison kind) {
  Gradients gradients(problem);
  for (Tensor* tensor : {&gradients.query, &gradients.key, &gradients.value}) poison(*tensor, kind);
  for (std::optional<Tensor>* tensor : {&gradients.bias, &gradients.sink})
    if (*tensor) poison(**tensor, kind);
  return gradients;
}

}  // namespace attestone::inline conformance
