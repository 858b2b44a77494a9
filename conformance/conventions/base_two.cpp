// SPDX-License-Identifier: Apache-2.0
// Numbers to base 2, row by row.
#include "conformance/conventions/base_two.hpp"

#include <cmath>
#include <numbers>

#include "conformance/conventions/touched_gradients.hpp"
#include "conformance/verdict/element_error.hpp"

namespace attestone::inline conformance {
namespace {

/// True if a natural number is, to base 2, in the last binade of the format or beyond.
bool may_be_lost(const Certified& natural, const DType& format) {
  const double last_binade = std::exp2(std::ilogb(format.largest()));
  return std::isfinite(natural.value) && std::abs(natural.value) + natural.bound >= last_binade * std::numbers::ln2;
}

void read(Certified& element, const DType& format) {
  constexpr double two_roundings = 0x1p-52;
  if (may_be_lost(element, format)) return leave_open(element);
  if (std::isfinite(element.value)) element.bound += two_roundings * std::abs(element.value);
}

}  // namespace

void read_to_base_two(Truth& truth, const Problem& problem) {
  const DType& format = problem.log_sum_exp_dtype();
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index row = 0; row < std::ssize(truth.queries()); ++row) {
        read(truth.log_sum_exp(b, h, row), format);
        if (truth.has_max_logits()) read(truth.max_logits(b, h, row), format);
      }
}

void leave_open_what_base_two_loses(GradientTruth& truth, const Problem& problem, const Inputs& inputs) {
  const Truth forward = certify_forward(problem, inputs);
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index i = 0; i < problem.shape.queries; ++i) {
        if (!may_be_lost(forward.log_sum_exp(b, h, i), problem.log_sum_exp_dtype())) continue;
        change_query_gradient(truth, {b, h, i}, leave_open);
        change_shared_gradients(truth, {b, h, i}, problem.shape, leave_open);
      }
}

}  // namespace attestone::inline conformance
