// SPDX-License-Identifier: Apache-2.0
// Comparing bytes, and answers code by code.
#include "conformance/trial/same_bits.hpp"

#include <algorithm>
#include <cmath>

namespace attestone::inline conformance {
namespace {

bool same_answers(const Tensor& a, const Tensor& b) {
  if (same_bits(a, b)) return true;
  if (!a.exists() || !b.exists()) return false;
  const ConstView one = a.view(), other = b.view();
  bool same = true;
  for_each_element(one, [&](index batch, index head, index row, index channel) {
    same = same &&
           (one.code(batch, head, row, channel) == other.code(batch, head, row, channel) ||
            (std::isnan(one.value(batch, head, row, channel)) && std::isnan(other.value(batch, head, row, channel))));
  });
  return same;
}

}  // namespace

bool same_bits(const Tensor& a, const Tensor& b) { return a.same_bytes(b); }

bool same_bits(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  return std::ranges::equal(a, b,
                            [](const NamedTensor& x, const NamedTensor& y) { return same_bits(*x.tensor, *y.tensor); });
}

bool same_answers(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
  return std::ranges::equal(
      a, b, [](const NamedTensor& x, const NamedTensor& y) { return same_answers(*x.tensor, *y.tensor); });
}

std::string_view scribbled(const std::vector<NamedTensor>& tensors) {
  for (const NamedTensor& named : tensors)
    if (!named.tensor->guards_intact()) return text(named.name);
  return {};
}

}  // namespace attestone::inline conformance
