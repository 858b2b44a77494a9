// SPDX-License-Identifier: Apache-2.0
// Allocating the tensors of a problem in its layout.
#include "reference/tensors.hpp"

#include <algorithm>

#include "reference/bias_extents.hpp"
#include "reference/registry.hpp"

namespace attestone {
namespace {

const Layout& layout_of(const Problem& problem) {
  const Layout* layout = Registry<Layout>::find(problem.layout);
  require(layout && layout->takes(problem.shape), "a problem names a layout that its shape has");
  return *layout;
}

RowStarts row_starts(const Problem& problem, Role role) {
  if (!layout_of(problem).ragged) return {};
  RowStarts starts{0};
  for (index b = 0; b < problem.shape.batch; ++b) {
    const Sequence own = problem.sequence(b);
    starts.push_back(starts.back() + (role == Role::key || role == Role::value ? own.keys : own.queries));
  }
  return starts;
}

Tensor laid_out(const Problem& problem, const DType& dtype, Role role, const Extents& extents) {
  return Tensor(dtype, extents, layout_of(problem).strides(problem.shape, role, extents), row_starts(problem, role));
}

/// Like an input, but with a place for every element: a kernel does not add up what the input shares by stride 0.
Tensor gradient_like(Tensor input) {
  const View view = input.view();
  if (std::ranges::count(view.strides(), 0) > 0) return Tensor(view.dtype(), view.extents());
  return input;
}

Tensor query_like(const Problem& p, const DType& format) {
  return laid_out(p, format, Role::query, {p.shape.batch, p.shape.heads, p.shape.queries, p.shape.dim});
}

Tensor key_like(const Problem& p, const DType& format) {
  return laid_out(p, format, Role::key, {p.shape.batch, p.shape.kv_heads, p.shape.keys, p.shape.dim});
}

Tensor value_like(const Problem& p, const DType& format) {
  return laid_out(p, format, Role::value, {p.shape.batch, p.shape.kv_heads, p.shape.keys, p.shape.value_dim});
}

Tensor out_like(const Problem& p) {
  return laid_out(p, p.output, Role::out, {p.shape.batch, p.shape.heads, p.shape.queries, p.shape.value_dim});
}

Tensor log_sum_exp_like(const Problem& p) {
  const Extents extents{p.shape.batch, p.shape.heads, p.shape.queries, 1};
  if (!layout_of(p).ragged) return Tensor(p.log_sum_exp_dtype(), extents);
  return laid_out(p, p.log_sum_exp_dtype(), Role::out, extents);
}

std::optional<Tensor> bias_like(const Problem& p, const DType& format) {
  return p.score.bias_tensor() ? std::optional(Tensor(format, bias_extents(p))) : std::nullopt;
}

std::optional<Tensor> sink_like(const Problem& p, const DType& format) {
  if (!p.score.has_sink()) return std::nullopt;
  return Tensor(format, {1, p.shape.heads, 1, 1});
}

}  // namespace

Extents bias_extents(const Problem& p) {
  const auto kind = p.score.bias_tensor();
  const Shape& s = p.shape;
  if (kind == "full") return {s.batch, s.heads, s.queries, s.keys};
  if (kind == "head") return {1, s.heads, s.queries, s.keys};
  if (kind == "batch") return {s.batch, 1, s.queries, s.keys};
  if (kind == "pair") return {1, 1, s.queries, s.keys};
  require(kind == "key", "a bias is of a known kind");
  return {s.batch, 1, 1, s.keys};
}

Inputs::Inputs(const Problem& p)
    : query(query_like(p, p.input)),
      key(key_like(p, p.input)),
      value(value_like(p, p.input)),
      bias(bias_like(p, p.input)),
      sink(sink_like(p, p.input)),
      dout(p.backward ? std::optional(out_like(p)) : std::nullopt) {}

Outputs::Outputs(const Problem& p) : out(out_like(p)), log_sum_exp(log_sum_exp_like(p)) {}

std::vector<NamedTensor> tensors_of(const Inputs& in) {
  std::vector<NamedTensor> all{{"query", &in.query}, {"key", &in.key}, {"value", &in.value}};
  if (in.bias) all.push_back({"bias", &*in.bias});
  if (in.sink) all.push_back({"sink", &*in.sink});
  if (in.dout) all.push_back({"dout", &*in.dout});
  return all;
}

std::vector<NamedTensor> tensors_of(const Outputs& out) {
  return {{"out", &out.out}, {"log_sum_exp", &out.log_sum_exp}};
}

std::vector<NamedTensor> tensors_of(const Gradients& g) {
  std::vector<NamedTensor> all{{"dquery", &g.query}, {"dkey", &g.key}, {"dvalue", &g.value}};
  if (g.bias) all.push_back({"dbias", &*g.bias});
  if (g.sink) all.push_back({"dsink", &*g.sink});
  return all;
}

Gradients::Gradients(const Problem& p)
    : query(query_like(p, p.output)),
      key(gradient_like(key_like(p, p.output))),
      value(gradient_like(value_like(p, p.output))),
      bias(bias_like(p, p.output)),
      sink(sink_like(p, p.output)) {}

}  // namespace attestone
