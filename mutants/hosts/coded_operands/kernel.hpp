// SPDX-License-Identifier: Apache-2.0
// The kernels of this room behind the C door, and which problems they take.
#pragma once

#include <string>
#include <utility>

#include "mutants/hosts/coded_operands/call.hpp"
#include "mutants/hosts/door.hpp"

namespace attestone::inline mutants::coded_operands {

/// The declaration of such a kernel.
struct Said {
  std::string numerics;
  std::string more_limits = "scores= lengths=no";
  /// Most share scales, or a mean, with rows that they may not see.
  std::string conventions = "hidden_nonfinite=propagates";
  std::function<std::int64_t(const attestone_args&)> workspace = {};
};

/// Every group lies in one row: nothing hidden is read.
inline constexpr const char* by_the_rules = "";

inline SharedKernel kernel(std::string name, void (*forward)(const Call&), Said said) {
  const auto takes = [](const Problem& problem) {
    return problem.formats.empty() ? Support{} : Support::refused("takes one format, without scales");
  };
  return door_kernel(
      std::move(name),
      {.forward = [forward](const attestone_args& args) { forward(Call(args)); },
       .forward_workspace = std::move(said.workspace),
       .limits = "dtypes=f16+bf16 layouts=bhsd+bshd+transposed+broadcast+packed_qkv+sparse masks=full+band dropout=no "
                 "zero_extents=no mixed_output=no max_dim=256 " +
                 said.more_limits,
       .numerics = std::move(said.numerics),
       .conventions = std::move(said.conventions),
       .beyond_limits = takes});
}

}  // namespace attestone::inline mutants::coded_operands
