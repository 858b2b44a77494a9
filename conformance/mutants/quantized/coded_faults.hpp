// SPDX-License-Identifier: Apache-2.0
// A kernel of codes that does something else than the one whose arithmetic it declares.
#pragma once

#include <memory>
#include <string>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "backends/cpu/coded/coded_attention.hpp"
#include "backends/cpu/coded/sage_algorithms.hpp"
#include "reference/registry.hpp"

namespace attestone {

/// SageAttention2's kernel with P and V in e4m3 and this setting, whose algorithm is another one.
inline SharedKernel sage_fp8_with(const std::string& accumulator, CodedAttention::AlgorithmOf wrong,
                                  const std::string& name) {
  const std::string entry = "sage_qk_int8_pv_fp8_cuda";
  const SharedKernel declared = make_kernel(entry + ":accumulator=" + accumulator);
  const Settings settings(Registry<KernelEntry>::find(entry)->settings);
  return changed(
      std::make_shared<CodedAttention>(entry, settings, wrong),
      {.name = name, .numerics = [declared](const Problem& problem) { return declared->numerics(problem); }});
}

}  // namespace attestone
