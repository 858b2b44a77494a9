// SPDX-License-Identifier: Apache-2.0
// A cheat: a kernel that does not compute attention at all and hopes that nobody looks closely.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "backends/kernel.hpp"

namespace attestone::inline mutants {

/// One cheat: one file in mutants/cheats/. Every problem with a row that is not empty must reject it.
struct Cheat {
  std::string_view name;
  std::string_view summary;
  SharedKernel (*kernel)();
};

/// The kernel that takes every problem, promises the arithmetic of plain floats, and calls answer(problem, arguments).
SharedKernel cheating_kernel(std::string name, std::function<void(const Problem&, const Arguments&)> answer);

/// Sets every element of O and of log_sum_exp to one number.
void write_everywhere(const Arguments&, double out, double log_sum_exp);

}  // namespace attestone::inline mutants
