// SPDX-License-Identifier: Apache-2.0
// SageAttention3 with one of the faults that its release 2.2.0 or a port of it has (docs/quantized.md).
#pragma once

#include <memory>
#include <string>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/cpu/quantized_kernels/sage3_kernel.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {

inline SharedKernel sage3_with(bool Sage3::*fault, const std::string& name) {
  Sage3 algorithm(false);
  algorithm.*fault = true;
  const Settings settings(Registry<KernelEntry>::find("sage3_fp4")->settings);
  return changed(std::make_shared<Sage3Attention>(settings, algorithm), {.name = name});
}

}  // namespace attestone::inline mutants
