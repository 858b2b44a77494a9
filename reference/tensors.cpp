// SPDX-License-Identifier: Apache-2.0
// Allocating the tensors of a problem in its layout.
#include "reference/tensors.hpp"

#include "reference/registry.hpp"

namespace attestone {
namespace {

Tensor laid_out(const Problem& problem, const DType& dtype, Role role, const Extents& extents) {
  const Layout* layout = Registry<Layout>::find(problem.layout);
  require(layout, "a problem names a registered layout");
  return Tensor(dtype, extents, layout->strides(role, extents));
}

}  // namespace

Inputs::Inputs(const Problem& p)
    : query(laid_out(p, p.input, Role::query, {p.shape.batch, p.shape.heads, p.shape.queries, p.shape.dim})),
      key(laid_out(p, p.input, Role::key, {p.shape.batch, p.shape.kv_heads, p.shape.keys, p.shape.dim})),
      value(laid_out(p, p.input, Role::value, {p.shape.batch, p.shape.kv_heads, p.shape.keys, p.shape.value_dim})) {}

Outputs::Outputs(const Problem& p)
    : out(laid_out(p, p.output, Role::out, {p.shape.batch, p.shape.heads, p.shape.queries, p.shape.value_dim})),
      log_sum_exp(p.log_sum_exp_dtype(), {p.shape.batch, p.shape.heads, p.shape.queries, 1}) {}

}  // namespace attestone
