// SPDX-License-Identifier: Apache-2.0
// A local kernel that counts which pairs of the whole problem it is asked about.
#pragma once

#include <vector>

#include "backends/kernel.hpp"

namespace attestone {

/// How often each pair of a problem was met, in one pass.
class PairCounts {
 public:
  explicit PairCounts(const Shape& shape)
      : shape_(shape), counts_(static_cast<std::size_t>(shape.batch * shape.heads * shape.queries * shape.keys)) {}

  int& of(const Pair& at) {
    const index row = (at.batch * shape_.heads + at.head) * shape_.queries + at.query;
    return counts_[static_cast<std::size_t>(row * shape_.keys + at.key)];
  }

 private:
  Shape shape_;
  std::vector<int> counts_;
};

/// Another kernel, on problems that ask for the numbers of the whole: those with dropout or a bias by formula.
class CountsPairs final : public Kernel {
 public:
  CountsPairs(SharedKernel kernel, PairCounts& forward, PairCounts& backward)
      : kernel_(std::move(kernel)), forward_(forward), backward_(backward) {}

  std::string name() const override { return "counts_pairs"; }
  Support supports(const Problem& problem) const override { return kernel_->supports(problem); }
  Numerics numerics(const Problem& problem) const override { return kernel_->numerics(problem); }
  index forward_bytes(const Problem& problem) const override { return kernel_->forward_bytes(problem); }
  index backward_bytes(const Problem& problem) const override { return kernel_->backward_bytes(problem); }
  bool computes_partials() const override { return kernel_->computes_partials(); }
  bool computes_gradients() const override { return kernel_->computes_gradients(); }
  bool takes_parts() const override { return kernel_->takes_parts(); }

  void forward(const Problem& problem, const Arguments& arguments, Device& device) const override {
    count(problem, arguments, forward_);
    kernel_->forward(problem, arguments, device);
  }
  void forward_partials(const Problem& problem, const PartialArguments& arguments, Device& device) const override {
    count(problem, arguments, forward_);
    kernel_->forward_partials(problem, arguments, device);
  }
  void backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const override {
    count(problem, arguments, backward_);
    kernel_->backward(problem, arguments, device);
  }

 private:
  static void count(const Problem& problem, const KernelInputs& inputs, PairCounts& counts) {
    const VisiblePairs visible = inputs.mask ? *inputs.mask : VisiblePairs(problem);
    const Shape& shape = problem.shape;
    for (index batch = 0; batch < shape.batch; ++batch)
      for (index head = 0; head < shape.heads; ++head)
        for (index query = 0; query < shape.queries; ++query)
          for (index key = 0; key < shape.keys; ++key)
            if (visible({batch, head, query, key})) ++counts.of(inputs.placement->whole({batch, head, query, key}));
  }

  SharedKernel kernel_;
  PairCounts &forward_, &backward_;
};

}  // namespace attestone
