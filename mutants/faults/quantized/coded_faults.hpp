// SPDX-License-Identifier: Apache-2.0
// A kernel of codes that does something else than the one whose arithmetic it declares.
#pragma once

#include <memory>
#include <string>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/cpu/quantized_kernels/coded_attention.hpp"
#include "backends/cpu/quantized_kernels/sage_algorithms.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {

/// The kernel of that text as it declares itself, whose algorithm is another one.
inline SharedKernel computing(const std::string& declared, CodedAttention::AlgorithmOf wrong, const std::string& name) {
  const SharedKernel own = make_kernel(declared);
  const std::string entry = declared.substr(0, declared.find(':'));
  const Settings settings(Registry<KernelEntry>::find(entry)->settings);
  return changed(std::make_shared<CodedAttention>(entry, settings, wrong),
                 {.name = name,
                  .numerics = [own](const Problem& problem) { return own->numerics(problem); },
                  .conventions = own->conventions()});
}

}  // namespace attestone::inline mutants
