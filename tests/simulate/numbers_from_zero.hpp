// SPDX-License-Identifier: Apache-2.0
// A kernel that knows less of itself than it could: the rows of every call are numbered from 0, as outside kernels do.
#pragma once

#include "backends/forwarding_kernel.hpp"

namespace attestone {

/// Another kernel, which takes no parts and leaves no answer undivided; without gradients, if so asked for.
class NumbersFromZero final : public ForwardingKernel {
 public:
  NumbersFromZero(SharedKernel kernel, bool gradients) : ForwardingKernel(std::move(kernel)), gradients_(gradients) {}

  std::string name() const override { return "numbers_from_zero"; }
  bool takes_parts() const override { return false; }
  bool computes_partials() const override { return false; }
  bool computes_gradients() const override { return gradients_; }

 private:
  bool gradients_;
};

}  // namespace attestone
