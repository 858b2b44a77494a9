// SPDX-License-Identifier: Apache-2.0
// Mutant of the unfused host: shows with a bias that repeats along the batch, differs from head to head, and batch =
// heads > 1.
#include "mutants/hosts/first_batch/fused_backward.hpp"
#include "mutants/hosts/first_batch/kernel.hpp"
#include "mutants/hosts/first_batch/right.hpp"
#include "mutants/hosts/first_batch/unfused_forward.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants::first_batch {
namespace {

class Fault : public UnfusedForward {
 protected:
  float bias(const Unit& u, int64_t i, int64_t j) const override {
    const Tensor& t = call->bias;
    if (t && t.stride[0] == 0 && t.stride[1] != 0 && call->a.batch == call->a.heads) return t.get(0, u.b, i, j);
    return UnfusedForward::bias(u, i, j);
  }
};

const Registration<Mutant> registered{{
    .name = "head_bias_read_as_batch_bias",
    .summary = "a bias [heads, queries, keys] is taken for [batch, queries, keys] where both fit",
    .source = "onnx/onnx PR #8108",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=2x2x8x16x8 score=bias:head",
    .kernel = [] { return kernel<Fault, FusedBackward>("head_bias_read_as_batch_bias"); },
    .twin = right_unfused,
}};

}  // namespace
}  // namespace attestone::inline mutants::first_batch
