// SPDX-License-Identifier: Apache-2.0
// Layouts: where in memory the elements [batch, head, row, channel] of a tensor lie.
#pragma once

#include <string_view>

#include "reference/tensor.hpp"

namespace attestone {

/// A tensor of an attention call. A layout places query, key, value and out, and gradients like what they belong to;
/// log_sum_exp, bias and sink are always packed.
enum class Role { query, key, value, out, bias, sink, dout };

/// A named layout: one file in reference/layouts/.
struct Layout {
  std::string_view name;
  std::string_view summary;
  Strides (*strides)(Role, const Extents&);
};

}  // namespace attestone
