// SPDX-License-Identifier: Apache-2.0
// A kernel that does one thing in its own way, and everything else as another kernel does.
#pragma once

#include <functional>

#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// What to do in place of the kernel beneath; what is empty, that kernel does. A pass is handed the kernel beneath as
/// `honest`, and calls it where it wants the right answer.
struct KernelChanges {
  using Forward = std::function<void(const Kernel& honest, const Problem&, const Arguments&, Device&)>;
  using Backward = std::function<void(const Kernel& honest, const Problem&, const BackwardArguments&, Device&)>;

  std::optional<std::string> name = {};
  std::function<Support(const Problem&)> supports = {};
  std::function<Numerics(const Problem&)> numerics = {};
  std::optional<Conventions> conventions = {};
  Forward forward = {};
  Backward backward = {};
  std::function<bool(const Problem&)> wants_mask_bytes = {};
  std::optional<std::uint64_t> fingerprint = {};
};

/// Another kernel with changes.
class ChangedKernel final : public Kernel {
 public:
  ChangedKernel(SharedKernel kernel, KernelChanges changes) : kernel_(std::move(kernel)), own_(std::move(changes)) {}
  /// Of a kernel that outlives this one.
  ChangedKernel(const Kernel& kernel, KernelChanges changes)
      : ChangedKernel(SharedKernel(SharedKernel(), &kernel), std::move(changes)) {}

  std::string name() const override { return own_.name ? *own_.name : kernel_->name(); }
  Support supports(const Problem& p) const override { return own_.supports ? own_.supports(p) : kernel_->supports(p); }
  Numerics numerics(const Problem& p) const override { return own_.numerics ? own_.numerics(p) : kernel_->numerics(p); }

  Conventions conventions() const override { return own_.conventions ? *own_.conventions : kernel_->conventions(); }

  void forward(const Problem&, const Arguments&, Device&) const override;
  index forward_bytes(const Problem& problem) const override { return kernel_->forward_bytes(problem); }
  bool computes_max_logits() const override { return kernel_->computes_max_logits(); }
  bool computes_gradients() const override { return kernel_->computes_gradients(); }
  void backward(const Problem&, const BackwardArguments&, Device&) const override;
  index backward_bytes(const Problem& problem) const override { return kernel_->backward_bytes(problem); }
  bool gradients_repeat(const Problem& problem) const override { return kernel_->gradients_repeat(problem); }

  bool wants_mask_bytes(const Problem&) const override;
  bool takes_parts() const override { return kernel_->takes_parts(); }
  std::vector<Adjustment> adjustments(const Problem& problem) const override { return kernel_->adjustments(problem); }
  std::string devices() const override { return kernel_->devices(); }
  std::vector<SharedKernel> on_fewer_devices() const override;
  std::optional<std::uint64_t> fingerprint() const override;
  void restart() const override { kernel_->restart(); }

 private:
  SharedKernel kernel_;
  KernelChanges own_;
};

/// The kernel with these changes: `changed(make_kernel("flash"), {.numerics = looser})`.
SharedKernel changed(SharedKernel, KernelChanges);

/// The kernel, held to these fields over what it declares (reference/numerics/declaration.hpp). It must outlive what
/// comes back; UserError for unknown fields, when it is asked for its arithmetic.
ChangedKernel declaring(const Kernel&, std::string fields);

}  // namespace attestone::inline backends
