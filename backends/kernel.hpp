// SPDX-License-Identifier: Apache-2.0
// What a kernel is: it has a name, declares its arithmetic, says what it supports, and runs.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/workspace.hpp"
#include "reference/numerics.hpp"
#include "reference/problem.hpp"
#include "reference/visible_pairs.hpp"

namespace attestone {

/// Whether a kernel takes a problem; if not, why: the reason becomes part of the verdict.
struct Support {
  bool yes = true;
  std::string why;

  static Support refused(std::string why) { return {false, std::move(why)}; }
  explicit operator bool() const { return yes; }
};

/// What both passes read. Broadcast axes have stride 0; what the problem lacks is absent.
struct KernelInputs {
  ConstView query, key, value;
  std::optional<ConstView> bias;       ///< [batch, heads, queries, keys]
  std::optional<ConstView> sink;       ///< [1, heads, 1, 1]
  const VisiblePairs* mask = nullptr;  ///< the mask as bytes, for kernels that ask for it
};

/// What the forward pass is handed: views of inputs and outputs, and the only memory it may take.
struct Arguments : KernelInputs {
  View out, log_sum_exp;
  Workspace& workspace;
};

/// What the backward pass is handed: the answer of the same kernel's forward pass, and the gradient of it.
struct BackwardArguments : KernelInputs {
  ConstView out, log_sum_exp, dout;
  View dquery, dkey, dvalue;
  std::optional<View> dbias;  ///< of the extents of the bias that was given: axes that its kind lacks have extent 1
  std::optional<View> dsink;  ///< [1, heads, 1, 1]
  Workspace& workspace;
};

/// The tensors as arguments; `mask` must be given to kernels that ask for it.
Arguments arguments_of(const Problem&, const Inputs&, Outputs&, Workspace&, const VisiblePairs* mask = nullptr);
BackwardArguments arguments_of(const Problem&, const Inputs&, const Outputs&, Gradients&, Workspace&,
                               const VisiblePairs* mask = nullptr);

/// What every kernel provides, and all that a kernel without gradients must.
template <class K>
concept Kernel = requires(const K kernel, const Problem& problem, Arguments& arguments) {
  { kernel.name() } -> std::convertible_to<std::string>;  // with its settings: "flash:block_q=64"
  { kernel.supports(problem) } -> std::same_as<Support>;
  { kernel.numerics(problem) } -> std::same_as<Numerics>;
  { kernel.workspace_bytes(problem) } -> std::same_as<index>;  // the documented formula of its peak
  { kernel.run(problem, arguments) } -> std::same_as<void>;
};

/// A kernel that computes gradients as well.
template <class K>
concept DifferentiableKernel = Kernel<K> && requires(const K kernel, const Problem& p, BackwardArguments& arguments) {
  { kernel.backward_workspace_bytes(p) } -> std::same_as<index>;
  { kernel.run_backward(p, arguments) } -> std::same_as<void>;
};

/// A kernel whose gradients may differ in their last bits from call to call: sums in the order of arrival.
template <class K>
concept DisclaimsRepeats = requires(const K kernel, const Problem& problem) {
  { kernel.gradients_repeat(problem) } -> std::same_as<bool>;
};

/// A kernel that takes masks as bytes; others evaluate the mask's plain data themselves.
template <class K>
concept TakesMaskBytes = requires(const K kernel, const Problem& problem) {
  { kernel.wants_mask_bytes(problem) } -> std::same_as<bool>;
};

/// What a kernel changes of what it was told, to suit a problem: a setting that is too large for it, or the kernel
/// itself.
struct Adjustment {
  std::string setting;   ///< "block_kv", or "kernel" if another one computes the answer
  std::string from, to;  ///< old and new value
  std::string why;

  auto operator<=>(const Adjustment&) const = default;
};

/// A kernel whose settings follow the problem; reports print what it changed.
template <class K>
concept AdjustsSettings = requires(const K kernel, const Problem& problem) {
  { kernel.adjustments(problem) } -> std::same_as<std::vector<Adjustment>>;
};

/// A kernel that lives in a process of its own, which can be replaced.
template <class K>
concept Restarts = requires(const K kernel) {
  { kernel.restart() } -> std::same_as<void>;
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
        run([kernel](const Problem& problem, Arguments& arguments) { kernel.run(problem, arguments); }) {
    if constexpr (DifferentiableKernel<K>) {
      backward_workspace_bytes = [kernel](const Problem& problem) { return kernel.backward_workspace_bytes(problem); };
      run_backward = [kernel](const Problem& problem, BackwardArguments& arguments) {
        kernel.run_backward(problem, arguments);
      };
    }
    if constexpr (DisclaimsRepeats<K>)
      gradients_repeat = [kernel](const Problem& problem) { return kernel.gradients_repeat(problem); };
    if constexpr (TakesMaskBytes<K>)
      wants_mask_bytes = [kernel](const Problem& problem) { return kernel.wants_mask_bytes(problem); };
    if constexpr (Restarts<K>) restart = [kernel] { kernel.restart(); };
    if constexpr (AdjustsSettings<K>)
      adjustments = [kernel](const Problem& problem) { return kernel.adjustments(problem); };
  }

  std::string name;
  /// How a command line asks for it, if not by "--kernel=" and its name: "--plugin='./libmine.so'".
  std::string option = {};
  /// Of an outside kernel: a number that its maker cannot choose, and that changes with the kernel.
  std::optional<std::uint64_t> fingerprint = {};
  /// Brings an outside kernel back to where a new run finds it: its next call is its first.
  std::function<void()> restart = [] {};
  std::function<Support(const Problem&)> supports;
  std::function<Numerics(const Problem&)> numerics;
  std::function<index(const Problem&)> workspace_bytes;
  std::function<void(const Problem&, Arguments&)> run;
  std::function<index(const Problem&)> backward_workspace_bytes;  ///< empty without a backward pass
  std::function<void(const Problem&, BackwardArguments&)> run_backward;
  /// Whether repeated backward calls give the same bits.
  std::function<bool(const Problem&)> gradients_repeat = [](const Problem&) { return true; };
  std::function<bool(const Problem&)> wants_mask_bytes = [](const Problem&) { return false; };
  std::function<std::vector<Adjustment>(const Problem&)> adjustments = [](const Problem&) {
    return std::vector<Adjustment>{};
  };
};

}  // namespace attestone
