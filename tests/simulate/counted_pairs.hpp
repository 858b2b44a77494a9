// SPDX-License-Identifier: Apache-2.0
// A local kernel that counts which pairs of the whole problem it is asked about.
#pragma once

#include <vector>

#include "backends/forwarding_kernel.hpp"

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
class CountsPairs final : public ForwardingKernel {
 public:
  CountsPairs(SharedKernel kernel, PairCounts& forward, PairCounts& backward)
      : ForwardingKernel(std::move(kernel)), forward_(forward), backward_(backward) {}

  std::string name() const override { return "counts_pairs"; }

  void forward(const Problem& problem, const Arguments& arguments, Device& device) const override {
    count(problem, arguments, forward_);
    inner().forward(problem, arguments, device);
  }
  void forward_partials(const Problem& problem, const PartialArguments& arguments, Device& device) const override {
    count(problem, arguments, forward_);
    inner().forward_partials(problem, arguments, device);
  }
  void backward(const Problem& problem, const BackwardArguments& arguments, Device& device) const override {
    count(problem, arguments, backward_);
    inner().backward(problem, arguments, device);
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

  PairCounts &forward_, &backward_;
};

}  // namespace attestone
