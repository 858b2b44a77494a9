// SPDX-License-Identifier: Apache-2.0
// Comparing bytes.
#include "conformance/trial/same_bits.hpp"

#include <algorithm>

namespace attestone {

bool same_bits(const Tensor& a, const Tensor& b) { return a.same_bytes(b); }

bool same_bits(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  return std::ranges::equal(a, b,
                            [](const NamedTensor& x, const NamedTensor& y) { return same_bits(*x.tensor, *y.tensor); });
}

std::string_view scribbled(const std::vector<NamedTensor>& tensors) {
  for (const NamedTensor& named : tensors)
    if (!named.tensor->guards_intact()) return text(named.name);
  return {};
}

}  // namespace attestone
