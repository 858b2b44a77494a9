// SPDX-License-Identifier: Apache-2.0
// The tensors of one attention call: inputs, outputs and gradients, allocated in the layout and formats of the problem.
#pragma once

#include <optional>
#include <vector>

#include "reference/problem/problem.hpp"
#include "reference/tensor/tensor.hpp"

namespace attestone {

/// Extents of a tensor with numbers of attention: query, key, value, bias, sink, dout, the answers and the gradients.
Extents extents_of(const Problem&, TensorName);
const DType& format_of(const Problem&, TensorName);
/// Where the sequences of a tensor that the layout places begin; empty unless they lie behind each other.
RowStarts row_starts_of(const Problem&, TensorName);
/// How many rows of memory lie behind the last sequence, of a tensor whose sequences lie behind each other.
index spare_rows_of(const Problem&, TensorName);
/// The layout of a tensor: its own, that of what it is the gradient of, or the problem's.
const Layout& layout_of(const Problem&, TensorName);
/// The strides that the layout gives, with room for spare rows, or packed.
Strides strides_of(const Problem&, TensorName);
/// True if elements of K or V share places (stride 0).
bool shares_places(const Problem&);

/// query [batch, heads, queries, dim], key [batch, kv_heads, keys, dim], value [batch, kv_heads, keys, value_dim]; all
/// in the input format.
struct Inputs {
  explicit Inputs(const Problem&);
  Tensor query, key, value;
  std::optional<Tensor> bias;  ///< with score=bias:KIND, packed; axes that the kind lacks have extent 1
  std::optional<Tensor> sink;  ///< with score=sink:head [1, heads, 1, 1]
  std::optional<Tensor> dout;  ///< with pass=forward+backward: the gradient of out, like it; in the output format
};

/// out [batch, heads, queries, value_dim] in the output format; log_sum_exp [batch, heads, queries, 1], natural. What
/// nobody asks for is not there.
struct Outputs {
  explicit Outputs(const Problem&);
  Tensor out, log_sum_exp;
  std::optional<Tensor> max_logits;  ///< [batch, heads, queries, 1]: the largest score of a row, if it is asked for
};

/// The gradients of <out, dout>: each of the extents and layout of its input, in the output format. Where a layout lets
/// elements of an input share a place (stride 0), their gradients are packed instead: each has a place of its own. What
/// nobody asks for is not there.
struct Gradients {
  explicit Gradients(const Problem&);
  Tensor query, key, value;
  std::optional<Tensor> bias, sink;  ///< where the inputs have them, and somebody asks
};

/// A tensor with its name.
struct NamedTensor {
  TensorName name;
  const Tensor* tensor;
};

/// The tensors that are there, with their scales.
std::vector<NamedTensor> tensors_of(const Inputs&);
std::vector<NamedTensor> tensors_of(const Outputs&);
std::vector<NamedTensor> tensors_of(const Gradients&);

}  // namespace attestone
