// SPDX-License-Identifier: Apache-2.0
// The sink of one head: where its softmax starts before any key has come.
#pragma once

#include "backends/cpu/parts/codec.hpp"
#include "backends/cpu/parts/online_softmax.hpp"
#include "backends/kernel.hpp"

namespace attestone::inline backends {

/// The sink's logit; a head without a sink has one of -infinity, which takes no mass.
class HeadSink {
 public:
  HeadSink(const KernelInputs& inputs, index head) {
    if (inputs.sink) FloatRows(*inputs.sink).read(0, head, 0, &logit_);
    float score = static_cast<float>(double{logit_} * std::numbers::log2e);
    start_.raise(score);
    start_.weigh(&score, 1);
  }

  float logit() const { return logit_; }
  /// The softmax, in base 2, of a query that has seen nothing but the sink.
  OnlineSoftmax start() const { return start_; }
  /// The log-sum-exp of a query after all of its keys; exactly the logit where none of them counted beside the sink.
  double log_sum_exp(const OnlineSoftmax& softmax) const {
    return softmax.m == start_.m && softmax.l == start_.l ? double{logit_} : softmax.log_sum_exp();
  }

 private:
  float logit_ = -std::numeric_limits<float>::infinity();
  OnlineSoftmax start_;
};

}  // namespace attestone::inline backends
