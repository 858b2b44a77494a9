// SPDX-License-Identifier: Apache-2.0
// Few rows, other signs, certified truth.
#include "conformance/bench/judged_call.hpp"

#include <algorithm>

#include "conformance/conventions/by_convention.hpp"
#include "conformance/diagnosis/work.hpp"
#include "conformance/verdict/compare.hpp"
#include "conformance/verdict/compare_gradients.hpp"
#include "reference/certified/forward/truth.hpp"
#include "reference/error_bound/forward/forward_bound.hpp"
#include "reference/error_bound/gradient/gradient_bound.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone::inline conformance {
namespace {

constexpr index most_rows = 4;
// Multiply-adds of the rows that are judged, or of the whole where gradients are; and numbers that are decoded for it.
constexpr double most_work = 0x1p30, most_work_of_gradients = 0x1p24, most_numbers = 0x1p26;

index one_below(index count, std::mt19937_64& random) {
  return std::uniform_int_distribution<index>(0, count - 1)(random);
}

/// Changes signs by lot in a row of every sequence and head.
void change_row(const View& view, index row, std::mt19937_64& random) {
  const auto& [batches, heads, rows, channels] = view.extents();
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads && row < view.rows(b); ++h)
      for (index c = 0; c < channels; ++c)
        if (random() & 1) view.set(b, h, row, c, -view.value(b, h, row, c));
}

std::string evidence(const Comparison& comparison) {
  const Verdict verdict = judged(comparison);
  return verdict.outcome == Outcome::failed ? verdict.evidence : "";
}

}  // namespace

ChangedRows::ChangedRows(const Problem& problem, std::mt19937_64& random) {
  const Shape& shape = problem.shape;
  for (index n = 0; n < std::min(most_rows, shape.queries); ++n) queries_.push_back(one_below(shape.queries, random));
  std::ranges::sort(queries_);
  queries_.erase(std::unique(queries_.begin(), queries_.end()), queries_.end());
  if (shape.keys > 0) key_ = one_below(shape.keys, random);
}

void ChangedRows::change(Inputs& inputs, std::mt19937_64& random) const {
  for (const index row : queries_) change_row(inputs.query.view(), row, random);
  if (inputs.value.view().extents()[2] > 0) change_row(inputs.value.view(), key_, random);
}

bool can_be_judged(const Problem& problem) {
  const Shape& s = problem.shape;
  if (problem.backward) return multiply_adds(s) <= most_work_of_gradients;
  const auto rows = static_cast<double>(s.batch * s.heads * std::min(most_rows, s.queries));
  const auto numbers = static_cast<double>(s.batch) * static_cast<double>(s.heads * s.queries + s.kv_heads * s.keys) *
                       static_cast<double>(s.dim + s.value_dim);
  return rows * static_cast<double>(s.keys) * static_cast<double>(s.dim + s.value_dim) <= most_work &&
         numbers <= most_numbers;
}

std::string wrong_answer(const Kernel& kernel, const Problem& problem, const Inputs& inputs, const Outputs& outputs,
                         const std::vector<index>& queries) {
  const DefaultFloatingPoint environment;
  const Truth truth =
      by_convention(certify_forward(problem, inputs, {.queries = queries}), kernel.conventions(), problem, inputs);
  const ForwardBound bound(problem, inputs, kernel.numerics(problem));
  BoundTable bounds(problem, truth, bound);
  return evidence(compare(truth, bounds, outputs, 0, nullptr, kernel.conventions().log_sum_exp_unit()));
}

std::string wrong_gradients(const Kernel& kernel, const Problem& problem, const Inputs& inputs,
                            const Gradients& gradients) {
  const DefaultFloatingPoint environment;
  const GradientTruth truth = by_convention(certify_backward(problem, inputs), kernel.conventions(), problem, inputs);
  return evidence(compare_gradients(truth, gradient_bounds(problem, inputs, kernel.numerics(problem)), gradients));
}

}  // namespace attestone::inline conformance
