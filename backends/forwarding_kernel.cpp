// SPDX-License-Identifier: Apache-2.0
// Asking the inner kernel.
#include "backends/forwarding_kernel.hpp"

#include "reference/require.hpp"

namespace attestone::inline backends {

ForwardingKernel::ForwardingKernel(SharedKernel inner) : inner_(std::move(inner)) {
  require(inner_ != nullptr, "a kernel that forwards has a kernel to forward to");
}

std::string ForwardingKernel::name() const { return inner_->name(); }

Support ForwardingKernel::supports(const Problem& problem) const { return inner_->supports(worded(problem)); }

Numerics ForwardingKernel::numerics(const Problem& problem) const { return inner_->numerics(worded(problem)); }

Conventions ForwardingKernel::conventions() const { return inner_->conventions(); }

void ForwardingKernel::forward(const Problem& problem, const Arguments& arguments, Device& device) const {
  inner_->forward(worded(problem), arguments, device);
}

index ForwardingKernel::forward_bytes(const Problem& problem) const { return inner_->forward_bytes(worded(problem)); }

bool ForwardingKernel::computes_partials() const { return inner_->computes_partials(); }

void ForwardingKernel::forward_partials(const Problem& problem, const PartialArguments& arguments,
                                        Device& device) const {
  inner_->forward_partials(worded(problem), arguments, device);
}

bool ForwardingKernel::computes_max_logits() const { return inner_->computes_max_logits(); }

bool ForwardingKernel::computes_gradients() const { return inner_->computes_gradients(); }

void ForwardingKernel::backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const {
  inner_->backward(worded(problem), arguments, device);
}

index ForwardingKernel::backward_bytes(const Problem& problem) const { return inner_->backward_bytes(worded(problem)); }

bool ForwardingKernel::gradients_repeat(const Problem& problem) const {
  return inner_->gradients_repeat(worded(problem));
}

bool ForwardingKernel::wants_mask_bytes(const Problem& problem) const {
  return inner_->wants_mask_bytes(worded(problem));
}

bool ForwardingKernel::takes_parts() const { return inner_->takes_parts(); }

std::vector<Adjustment> ForwardingKernel::adjustments(const Problem& problem) const {
  return inner_->adjustments(worded(problem));
}

std::string ForwardingKernel::devices() const { return inner_->devices(); }

std::vector<SharedKernel> ForwardingKernel::on_fewer_devices() const { return inner_->on_fewer_devices(); }

std::optional<std::uint64_t> ForwardingKernel::fingerprint() const { return inner_->fingerprint(); }

bool ForwardingKernel::uses_attestone() const { return inner_->uses_attestone(); }

void ForwardingKernel::restart() const { inner_->restart(); }

}  // namespace attestone::inline backends
