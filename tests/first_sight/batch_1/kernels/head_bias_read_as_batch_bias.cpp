// SPDX-License-Identifier: Apache-2.0
// A bias [heads, queries, keys] is taken for [batch, queries, keys] where both fit.
// onnx/onnx pull request 8108 (review: rank-3 masks, "silently incorrect when B == H").
// Shows with a bias that repeats along the batch, differs from head to head, and batch = heads > 1.
#include "../hosts/fused_backward.hpp"
#include "../hosts/unfused_forward.hpp"

class Fault : public UnfusedForward {
 protected:
  float bias(const Unit& u, int64_t i, int64_t j) const override {
    const Tensor& t = call->bias;
    if (t.present() && t.stride(0) == 0 && t.stride(1) != 0 && call->a.batch == call->a.heads)
      return t.get(0, u.b, i, j);
    return UnfusedForward::bias(u, i, j);
  }
};

KERNEL(Fault, FusedBackward)
