// SPDX-License-Identifier: Apache-2.0
// The published kernels in the settings that their entries hold to be worth judging, chosen by what a test needs of
// them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "backends/catalogue.hpp"
#include "reference/registry.hpp"

namespace attestone {

/// The formats that kernels with a backward pass compute in.
constexpr std::array<std::string_view, 3> kernel_formats{"f32", "bf16", "f16"};

/// The kernels with a backward pass, which all take every feature of the language.
inline std::vector<SharedKernel> kernels_with_gradients() {
  std::vector<SharedKernel> all = example_kernels();
  std::erase_if(all, [](const SharedKernel& kernel) { return !kernel->computes_gradients(); });
  return all;
}

/// The names of kernels with a backward pass.
inline std::vector<std::string> names_of_kernels_with_gradients() {
  std::vector<std::string> names = Registry<KernelEntry>::names();
  std::erase_if(names, [](const std::string& name) { return !make_kernel(name)->computes_gradients(); });
  return names;
}

/// A problem with enough keys for every kernel that merges parts.
inline const Problem long_problem = parse_problem("shape=1x1x1x100000x1");

/// The kernels with a backward pass whose bits repeat.
inline std::vector<SharedKernel> repeatable_kernels() {
  std::vector<SharedKernel> all = kernels_with_gradients();
  std::erase_if(all, [](const SharedKernel& kernel) { return !kernel->gradients_repeat(long_problem); });
  return all;
}

/// The kernels whose bits do not depend on what nobody sees. (A fixed maximum bounds the scores of all keys.)
inline std::vector<SharedKernel> kernels_that_see_nothing_hidden() {
  std::vector<SharedKernel> all = repeatable_kernels();
  std::erase_if(all, [](const SharedKernel& kernel) {
    return kernel->numerics(long_problem).weight.bounded_maximum.largest > 0;
  });
  return all;
}

/// The kernels that leave the merging of parts to others.
inline std::vector<SharedKernel> kernels_that_do_not_merge() {
  std::vector<SharedKernel> all = repeatable_kernels();
  std::erase_if(all, [](const SharedKernel& kernel) { return kernel->numerics(long_problem).merge.merges(); });
  return all;
}

}  // namespace attestone
