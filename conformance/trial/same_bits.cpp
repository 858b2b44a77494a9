// SPDX-License-Identifier: Apache-2.0
// Comparing bytes.
#include "conformance/trial/same_bits.hpp"

#include <algorithm>
#include <cstring>

namespace attestone {

bool same_bits(const Tensor& a, const Tensor& b) {
  const std::span<const std::byte> of_a = a.bytes(), of_b = b.bytes();
  return of_a.size() == of_b.size() && (of_a.empty() || std::memcmp(of_a.data(), of_b.data(), of_a.size()) == 0);
}

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
