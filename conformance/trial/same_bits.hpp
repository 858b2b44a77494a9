// SPDX-License-Identifier: Apache-2.0
// Comparison of tensors by their bits.
#pragma once

#include "reference/call/tensors.hpp"

namespace attestone::inline conformance {

/// Gaps between elements included.
bool same_bits(const Tensor&, const Tensor&);
bool same_bits(const std::vector<NamedTensor>&, const std::vector<NamedTensor>&);
/// True if two sets of inputs, outputs or gradients hold the same bits.
template <class Tensors>
bool same_bits(const Tensors& a, const Tensors& b) {
  return same_bits(tensors_of(a), tensors_of(b));
}

/// True if two calls answered alike: with the same bits, but any NaN for a NaN, as no standard says which sign it has
/// (IEEE 754-2019, 6.3).
bool same_answers(const std::vector<NamedTensor>&, const std::vector<NamedTensor>&);
template <class Answers>
bool same_answers(const Answers& a, const Answers& b) {
  return same_answers(tensors_of(a), tensors_of(b));
}

/// The first tensor with a changed byte that belongs to no element; empty if there is none.
std::string_view scribbled(const std::vector<NamedTensor>&);

/// True if a kernel has written to the copy that it was handed.
template <class Tensors>
bool is_changed(const Tensors& original, const Tensors& handed) {
  return !same_bits(original, handed) || !scribbled(tensors_of(handed)).empty();
}

}  // namespace attestone::inline conformance
