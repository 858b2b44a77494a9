// SPDX-License-Identifier: Apache-2.0
// Allocating the tensors of a problem in its layout.
#include "reference/call/tensors.hpp"

#include <algorithm>

#include "reference/call/bias_extents.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/scales.hpp"

namespace attestone {
namespace {

/// An input and its gradient have the same extents and lie alike.
TensorName input_of(TensorName tensor) {
  for (const CallTensor& row : call_tensors())
    if (row.gradient == tensor) return row.tensor;
  return tensor;
}

Tensor made(const Problem& problem, TensorName tensor) {
  return Tensor(format_of(problem, tensor), extents_of(problem, tensor), strides_of(problem, tensor),
                row_starts_of(problem, tensor), spare_rows_of(problem, tensor));
}

/// An answer, if somebody asks for it.
Tensor answer(const Problem& problem, TensorName tensor) {
  if (problem.wanted(tensor)) return made(problem, tensor);
  return Tensor::absent(format_of(problem, tensor), extents_of(problem, tensor), strides_of(problem, tensor),
                        row_starts_of(problem, tensor));
}

std::optional<Tensor> made_if(bool there, const Problem& problem, TensorName tensor) {
  return there ? std::optional(made(problem, tensor)) : std::nullopt;
}

/// The tensor of a name and its scales, if it is there and has any.
void list(std::vector<NamedTensor>& all, TensorName name, const Tensor& tensor,
          std::optional<TensorName> scales = std::nullopt) {
  if (tensor.exists()) all.push_back({name, &tensor});
  if (scales && tensor.scales()) all.push_back({*scales, &tensor.scales()->numbers});
}

void list(std::vector<NamedTensor>& all, TensorName name, const std::optional<Tensor>& tensor) {
  if (tensor) list(all, name, *tensor);
}

}  // namespace

const Layout& layout_of(const Problem& problem, TensorName tensor) {
  std::string_view name = problem.layout;
  for (const TensorName of : {input_of(tensor), tensor}) {
    const auto own = std::ranges::find(problem.tensor_layouts, of, &TensorLayout::tensor);
    if (own != problem.tensor_layouts.end()) name = own->layout;
  }
  const Layout* layout = Registry<Layout>::find(name);
  require(layout && layout->takes(problem.shape), "a problem names a layout that its shape has");
  return *layout;
}

bool shares_places(const Problem& problem) {
  return layout_of(problem, TensorName::key).shares_places || layout_of(problem, TensorName::value).shares_places;
}

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

Extents extents_of(const Problem& problem, TensorName tensor) {
  const Shape& s = problem.shape;
  switch (input_of(tensor)) {
    case TensorName::query:
      return {s.batch, s.heads, s.queries, s.dim};
    case TensorName::key:
      return {s.batch, s.kv_heads, s.keys, s.dim};
    case TensorName::value:
      return {s.batch, s.kv_heads, s.keys, s.value_dim};
    case TensorName::out:
      return {s.batch, s.heads, s.queries, s.value_dim};
    case TensorName::log_sum_exp:
    case TensorName::max_logits:
      return {s.batch, s.heads, s.queries, 1};
    case TensorName::bias:
      return bias_extents(problem);
    default:
      require(input_of(tensor) == TensorName::sink, "a tensor has numbers of attention");
      return {1, s.heads, 1, 1};
  }
}

const DType& format_of(const Problem& problem, TensorName tensor) {
  if (tensor == TensorName::log_sum_exp || tensor == TensorName::max_logits) return problem.log_sum_exp_dtype();
  const bool is_answer = tensor == TensorName::out || input_of(tensor) != tensor;
  return is_answer ? problem.output : problem.input;
}

RowStarts row_starts_of(const Problem& problem, TensorName tensor) {
  const CallTensor& row = call_tensor(tensor);
  if (!layout_of(problem, tensor).ragged || row.layout == LayoutRule::packed) return {};
  const bool rows_are_keys = row.placed_as == TensorName::key || row.placed_as == TensorName::value;
  RowStarts starts{0};
  for (index b = 0; b < problem.shape.batch; ++b) {
    const Sequence own = problem.sequence(b);
    starts.push_back(starts.back() + (rows_are_keys ? own.keys : own.queries));
  }
  return starts;
}

index spare_rows_of(const Problem& problem, TensorName tensor) {
  const bool packed = call_tensor(tensor).layout == LayoutRule::packed;
  return layout_of(problem, tensor).ragged && !packed ? problem.spare_rows : 0;
}

Strides strides_of(const Problem& problem, TensorName tensor) {
  const CallTensor& row = call_tensor(tensor);
  const Layout& layout = layout_of(problem, tensor);
  const Extents extents = extents_of(problem, tensor);
  const bool placed =
      row.layout == LayoutRule::by_layout || (row.layout == LayoutRule::packed_or_ragged && layout.ragged);
  if (!placed) return packed_strides(extents);
  const auto& [batch, heads, rows, channels] = extents;
  const Strides strides =
      layout.strides(problem.shape, row.placed_as, {batch, heads, rows + problem.spare_rows, channels});
  // A kernel does not add up what an input shares by stride 0: every element of a gradient has a place.
  const bool shares = std::ranges::count(strides, 0) > 0;
  return shares && input_of(tensor) != tensor ? packed_strides(extents) : strides;
}

Inputs::Inputs(const Problem& p)
    : query(made(p, TensorName::query)),
      key(made(p, TensorName::key)),
      value(made(p, TensorName::value)),
      bias(made_if(p.score.bias_tensor().has_value(), p, TensorName::bias)),
      sink(made_if(p.score.has_sink(), p, TensorName::sink)),
      dout(made_if(p.backward, p, TensorName::dout)) {}

Outputs::Outputs(const Problem& p)
    : out(answer(p, TensorName::out)),
      log_sum_exp(answer(p, TensorName::log_sum_exp)),
      max_logits(made_if(p.wanted(TensorName::max_logits), p, TensorName::max_logits)) {}

Gradients::Gradients(const Problem& p)
    : query(answer(p, TensorName::dquery)),
      key(answer(p, TensorName::dkey)),
      value(answer(p, TensorName::dvalue)),
      bias(made_if(p.score.bias_tensor() && p.wanted(TensorName::dbias), p, TensorName::dbias)),
      sink(made_if(p.score.has_sink() && p.wanted(TensorName::dsink), p, TensorName::dsink)) {}

std::vector<NamedTensor> tensors_of(const Inputs& in) {
  std::vector<NamedTensor> all;
  list(all, TensorName::query, in.query, TensorName::query_scales);
  list(all, TensorName::key, in.key, TensorName::key_scales);
  list(all, TensorName::value, in.value, TensorName::value_scales);
  list(all, TensorName::bias, in.bias);
  list(all, TensorName::sink, in.sink);
  list(all, TensorName::dout, in.dout);
  return all;
}

std::vector<NamedTensor> tensors_of(const Outputs& out) {
  std::vector<NamedTensor> all;
  list(all, TensorName::out, out.out);
  list(all, TensorName::log_sum_exp, out.log_sum_exp);
  list(all, TensorName::max_logits, out.max_logits);
  return all;
}

std::vector<NamedTensor> tensors_of(const Gradients& g) {
  std::vector<NamedTensor> all;
  list(all, TensorName::dquery, g.query);
  list(all, TensorName::dkey, g.key);
  list(all, TensorName::dvalue, g.value);
  list(all, TensorName::dbias, g.bias);
  list(all, TensorName::dsink, g.sink);
  return all;
}

}  // namespace attestone
