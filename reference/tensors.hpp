// SPDX-License-Identifier: Apache-2.0
// The tensors of one attention call: inputs and outputs, allocated in the layout and formats of the problem.
#pragma once

#include "reference/problem.hpp"
#include "reference/tensor.hpp"

namespace attestone {

/// query [batch, heads, queries, dim], key [batch, kv_heads, keys, dim], value [batch, kv_heads, keys, value_dim].
struct Inputs {
  explicit Inputs(const Problem&);
  Tensor query, key, value;
};

/// out [batch, heads, queries, value_dim] in the output format; log_sum_exp [batch, heads, queries, 1], natural.
struct Outputs {
  explicit Outputs(const Problem&);
  Tensor out, log_sum_exp;
};

}  // namespace attestone
