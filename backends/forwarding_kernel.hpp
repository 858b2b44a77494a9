// SPDX-License-Identifier: Apache-2.0
// A kernel that answers everything as another kernel does: the base of kernels that change one thing of another.
#pragma once

#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// Forwards every function of Kernel to an inner kernel. Classes that derive from it override what they change; a test
/// (tests/backends/forwarding_kernel_test.cpp) fails if a function of Kernel is missing here.
///
/// on_fewer_devices() forwards too, so it returns kernels without the change: a class that changes answers overrides
/// it.
class ForwardingKernel : public Kernel {
 public:
  /// Null is a mistake of ours.
  explicit ForwardingKernel(SharedKernel inner);
  /// The inner kernel must outlive this one.
  explicit ForwardingKernel(const Kernel& inner) : ForwardingKernel(SharedKernel(SharedKernel(), &inner)) {}

  std::string name() const override;
  Support supports(const Problem&) const override;
  Numerics numerics(const Problem&) const override;
  Conventions conventions() const override;

  void forward(const Problem&, const Arguments&, Device&) const override;
  index forward_bytes(const Problem&) const override;

  bool computes_partials() const override;
  void forward_partials(const Problem&, const PartialArguments&, Device&) const override;

  bool computes_max_logits() const override;

  bool computes_gradients() const override;
  void backward(const Problem&, const BackwardArguments&, Device&) const override;
  index backward_bytes(const Problem&) const override;
  bool gradients_repeat(const Problem&) const override;

  bool wants_mask_bytes(const Problem&) const override;
  bool takes_parts() const override;
  std::vector<Adjustment> adjustments(const Problem&) const override;

  std::string devices() const override;
  std::vector<SharedKernel> on_fewer_devices() const override;

  std::optional<std::uint64_t> fingerprint() const override;
  bool uses_attestone() const override;
  void restart() const override;

 protected:
  const Kernel& inner() const { return *inner_; }

  /// The problem in the words in which the inner kernel is asked for it; by default as it is.
  virtual Problem worded(const Problem& problem) const { return problem; }

 private:
  SharedKernel inner_;
};

}  // namespace attestone::inline backends
