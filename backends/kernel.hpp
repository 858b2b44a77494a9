// SPDX-License-Identifier: Apache-2.0
// What a kernel is: it has a name, declares its arithmetic, says what it supports, and runs.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>

#include "backends/workspace.hpp"
#include "reference/numerics.hpp"
#include "reference/problem.hpp"
#include "reference/tensor.hpp"

namespace attestone {

/// Whether a kernel takes a problem; if not, why: the reason becomes part of the verdict.
struct Support {
  bool yes = true;
  std::string why;

  static Support refused(std::string why) { return {false, std::move(why)}; }
  explicit operator bool() const { return yes; }
};

/// What a kernel is handed: views of inputs and outputs, and the only memory it may take.
struct Arguments {
  ConstView query, key, value;
  View out, log_sum_exp;
  Workspace& workspace;
};

template <class K>
concept Kernel = requires(const K kernel, const Problem& problem, Arguments& arguments) {
  { kernel.name() } -> std::convertible_to<std::string>;  // with its settings: "flash:block_q=64"
  { kernel.supports(problem) } -> std::same_as<Support>;
  { kernel.numerics(problem) } -> std::same_as<Numerics>;
  { kernel.workspace_bytes(problem) } -> std::same_as<index>;  // the documented formula of its peak
  { kernel.run(problem, arguments) } -> std::same_as<void>;
};

/// Any kernel, as a value.
class AnyKernel {
 public:
  template <Kernel K>
  explicit AnyKernel(K kernel)
      : name(kernel.name()),
        supports([kernel](const Problem& problem) { return kernel.supports(problem); }),
        numerics([kernel](const Problem& problem) { return kernel.numerics(problem); }),
        workspace_bytes([kernel](const Problem& problem) { return kernel.workspace_bytes(problem); }),
        run([kernel](const Problem& problem, Arguments& arguments) { kernel.run(problem, arguments); }) {}

  std::string name;
  std::function<Support(const Problem&)> supports;
  std::function<Numerics(const Problem&)> numerics;
  std::function<index(const Problem&)> workspace_bytes;
  std::function<void(const Problem&, Arguments&)> run;
};

}  // namespace attestone
