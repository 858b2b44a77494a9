// SPDX-License-Identifier: Apache-2.0
// Why a run was cut short, in words.
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

}  // namespace attestone
