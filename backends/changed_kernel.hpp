// SPDX-License-Identifier: Apache-2.0
// A kernel that does one thing in its own way, and everything else as another kernel does.
#pragma once

#include <functional>

#include "backends/forwarding_kernel.hpp"

namespace attestone::inline backends {

/// Replacements for parts of the kernel beneath; an empty member leaves the part to that kernel. A pass is handed the
/// kernel beneath as `honest`, and calls it where it wants the right answer.
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

/// Another kernel with changes. One whose forward pass is changed answers whole rows alone: what it would leave
/// undivided, nobody said.
class ChangedKernel final : public ForwardingKernel {
 public:
  ChangedKernel(SharedKernel kernel, KernelChanges changes)
      : ForwardingKernel(std::move(kernel)), own_(std::move(changes)) {}
  /// The kernel must outlive this one.
  ChangedKernel(const Kernel& kernel, KernelChanges changes) : ForwardingKernel(kernel), own_(std::move(changes)) {}

  std::string name() const override { return own_.name ? *own_.name : inner().name(); }
  Support supports(const Problem& p) const override { return own_.supports ? own_.supports(p) : inner().supports(p); }
  Numerics numerics(const Problem& p) const override { return own_.numerics ? own_.numerics(p) : inner().numerics(p); }
  Conventions conventions() const override { return own_.conventions ? *own_.conventions : inner().conventions(); }

  void forward(const Problem&, const Arguments&, Device&) const override;
  bool computes_partials() const override { return !own_.forward && inner().computes_partials(); }
  void backward(const Problem&, const BackwardArguments&, Device&) const override;

  bool wants_mask_bytes(const Problem&) const override;
  std::vector<SharedKernel> on_fewer_devices() const override;
  std::optional<std::uint64_t> fingerprint() const override;

 private:
  KernelChanges own_;
};

/// The kernel with these changes: `changed(make_kernel("flash"), {.numerics = looser})`.
SharedKernel changed(SharedKernel, KernelChanges);

/// The kernel, held to these fields over what it declares (reference/numerics/declaration.hpp). It must outlive what
/// comes back; UserError for unknown fields, when it is asked for its arithmetic.
ChangedKernel declaring(const Kernel&, std::string fields);

}  // namespace attestone::inline backends
