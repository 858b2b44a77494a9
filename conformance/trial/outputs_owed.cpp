// SPDX-License-Identifier: Apache-2.0
// The outputs that a kernel must write.
#include "conformance/trial/outputs_owed.hpp"

namespace attestone::inline conformance {

std::vector<NamedTensor> outputs_owed(const Outputs& outputs, const Conventions& conventions) {
  std::vector<NamedTensor> tensors = tensors_of(outputs);
  if (!conventions.has_log_sum_exp())
    std::erase_if(tensors, [](const NamedTensor& tensor) { return tensor.name == TensorName::log_sum_exp; });
  return tensors;
}

}  // namespace attestone::inline conformance
