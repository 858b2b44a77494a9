// SPDX-License-Identifier: Apache-2.0
// The hosts of this room as kernels, and which problems they take.
#pragma once

#include <string>
#include <utility>

#include "backends/plugins/protocol/call_facts.hpp"
#include "mutants/hosts/door.hpp"

namespace attestone::inline mutants::coded_blocks {

inline constexpr const char* limits =
    "dtypes=f16+bf16 layouts=bhsd+bshd+strided+broadcast+packed_qkv masks=full+band scores= dropout=no lengths=no "
    "zero_extents=no value_dim=no mixed_output=no max_dim=128";

/// No windows, and as many queries as keys under a causal mask; one format without scales.
inline Support takes(const Problem& problem) {
  const wire::Call facts = call_facts(problem, wire::Request::forward);
  if (!problem.formats.empty()) return Support::refused("takes one format, without scales");
  if (facts.mask_form != ATTESTONE_MASK_BAND) return {};
  if (facts.window_left >= 0 || (facts.window_right >= 0 && facts.causal == 0))
    return Support::refused("takes no windows");
  if (facts.causal != 0 && facts.queries != facts.keys)
    return Support::refused("takes causal masks with as many queries as keys");
  return {};
}

/// A host is made for each call; what a fault keeps from call to call is its state, which belongs to the kernel.
template <class Host, class... State>
SharedKernel kernel(std::string name, State... state) {
  return door_kernel(std::move(name),
                     {.forward = [state...](const attestone_args& args) { Host(state...).forward(args); },
                      .limits = limits,
                      .numerics = Host::numerics,
                      // Rows share scales and a mean with rows that they do not see.
                      .conventions = "hidden_nonfinite=propagates",
                      .beyond_limits = takes});
}

}  // namespace attestone::inline mutants::coded_blocks
