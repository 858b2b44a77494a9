// SPDX-License-Identifier: Apache-2.0
// A kernel that knows less of itself than it could: the rows of every call are numbered from 0, as outside kernels do.
#pragma once

#include "backends/kernel.hpp"

namespace attestone {

/// Another kernel, which takes no parts and leaves no answer undivided; without gradients, if so asked for.
class NumbersFromZero final : public Kernel {
 public:
  NumbersFromZero(SharedKernel kernel, bool gradients) : kernel_(std::move(kernel)), gradients_(gradients) {}

  std::string name() const override { return "numbers_from_zero"; }
  Support supports(const Problem& problem) const override { return kernel_->supports(problem); }
  Numerics numerics(const Problem& problem) const override { return kernel_->numerics(problem); }
  void forward(const Problem& problem, const Arguments& arguments, Device& device) const override {
    kernel_->forward(problem, arguments, device);
  }
  index forward_bytes(const Problem& problem) const override { return kernel_->forward_bytes(problem); }
  bool computes_gradients() const override { return gradients_; }
  void backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const override {
    kernel_->backward(problem, arguments, device);
  }
  index backward_bytes(const Problem& problem) const override { return kernel_->backward_bytes(problem); }
  bool wants_mask_bytes(const Problem& problem) const override { return kernel_->wants_mask_bytes(problem); }

 private:
  SharedKernel kernel_;
  bool gradients_;
};

}  // namespace attestone
