// SPDX-License-Identifier: Apache-2.0
// The words of a run.
#include "conformance/run/kernel_run.hpp"

namespace attestone {

std::string_view text(CutShort why) {
  switch (why) {
    case CutShort::interrupted:
      return "interrupted";
    case CutShort::budget:
      return "over budget";
    case CutShort::own_failure:
      return "attestone itself failed";
  }
  return {};
}

std::string accuracy_format(const Property& property, const Problem& problem) {
  return dtype_text(problem) + (property.name.starts_with("gradient") ? " gradients" : "");
}

}  // namespace attestone
