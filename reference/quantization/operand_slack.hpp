// SPDX-License-Identifier: Apache-2.0
// How far the numbers with which a kernel computes may be from those that a judge takes its codes for.
#pragma once

#include <span>

namespace attestone {

/// The slack of each element; an operand without any is known exactly.
struct OperandSlack {
  std::span<const double> query;  ///< [batch, heads, queries, dim]
  std::span<const double> key;    ///< [batch, kv_heads, keys, dim]
  std::span<const double> value;  ///< [batch, kv_heads, keys, value_dim]
};

}  // namespace attestone
