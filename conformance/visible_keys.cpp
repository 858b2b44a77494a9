// SPDX-License-Identifier: Apache-2.0
// Evaluating the mask of a problem once.
#include "conformance/visible_keys.hpp"

#include <algorithm>

namespace attestone {

VisibleKeys::VisibleKeys(const Problem& problem)
    : queries_(problem.shape.queries), stride_(static_cast<std::size_t>(std::max<index>(problem.shape.keys, 1))) {
  const auto rows = static_cast<std::size_t>(problem.shape.batch * queries_);
  bits_.resize(rows * stride_);
  counts_.resize(rows);
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index i = 0; i < queries_; ++i)
      for (index j = 0; j < problem.shape.keys; ++j)
        if (problem.visible({b, 0, i, j})) {
          bits_[at(b, i) + static_cast<std::size_t>(j)] = true;
          ++counts_[at(b, i) / stride_];
        }
}

}  // namespace attestone
