// SPDX-License-Identifier: Apache-2.0
// FlashAttention-4 with what its source makes of NaN (docs/quantized.md).
#pragma once

#include <memory>
#include <string>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/cpu/flash4/flash4_kernel.hpp"

namespace attestone::inline mutants {

inline SharedKernel flash4_with(bool Flash4AsPublished::*fault, const std::string& name) {
  Flash4AsPublished as_published;
  as_published.*fault = true;
  return changed(std::make_shared<Flash4>(as_published), {.name = name});
}

}  // namespace attestone::inline mutants
