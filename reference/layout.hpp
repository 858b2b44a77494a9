// SPDX-License-Identifier: Apache-2.0
// Layouts: where in memory the elements [batch, head, row, channel] of a tensor lie.
#pragma once

#include <string_view>

#include "reference/tensor.hpp"

namespace attestone {

/// Which tensor of an attention call is laid out. log_sum_exp is [batch, head, query, 1] and always packed.
enum class Role { query, key, value, out };

/// A named layout: one file in reference/layouts/.
struct Layout {
  std::string_view name;
  std::string_view summary;
  Strides (*strides)(Role, const Extents&);
};

}  // namespace attestone
