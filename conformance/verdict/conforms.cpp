// SPDX-License-Identifier: Apache-2.0
// Asking every element only whether it is within its bounds, the cheap ones first.
#include <algorithm>
#include <cmath>

#include "conformance/verdict/compare.hpp"
#include "conformance/verdict/compared_elements.hpp"
#include "reference/tensor/floating_point_environment.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {
namespace {

bool within(double error, double bound) { return !(share_of_budget(error, bound) > 1); }

/// True if nothing can be said of the element, or it is as near to the truth as it must be.
bool is_as_near_as_it_must(const ComparedElements& elements, BoundTable& bounds, std::size_t place, index channel) {
  if (is_left_open(elements.truth(place, channel))) return true;
  const double deterministic = bounds.deterministic(place, channel);
  if (!std::isfinite(deterministic) && !elements.is_certainly_special(place, channel)) return true;
  const double error = elements.error(place, channel);
  if (within(error, bounds.probabilistic_at_least(place, channel))) return true;
  return within(error, deterministic) && within(error, bounds.probabilistic(place, channel));
}

/// The answers of one row; those that nobody asks for are absent.
struct RowAnswers {
  std::span<const double> out;
  std::optional<double> log_sum_exp, max_logits;
};

/// True if the row conforms by the least bounds alone. Answers that nobody asks for conform.
bool is_settled(const Truth& truth, const LeastBounds& least, const RowPlace& at, const RowAnswers& answers) {
  const auto near = [](double got, const Certified& right, double bound) {
    if (!std::isfinite(got) || !std::isfinite(right.value)) return got == right.value;
    return std::abs(got - right.value) - right.bound <= bound;
  };
  const auto settles = [&](index channel, double answer, auto bound_of) {
    if (truth.admissible(at.batch, at.head, at.row, channel)) return false;
    const Certified& right = truth.element(at.batch, at.head, at.row, channel);
    return near(answer, right, (least.*bound_of)(right));
  };
  if (answers.log_sum_exp && !settles(log_sum_exp_channel, *answers.log_sum_exp, &LeastBounds::log_sum_exp))
    return false;
  if (answers.max_logits && !settles(max_logits_channel, *answers.max_logits, &LeastBounds::max_logits)) return false;
  for (std::size_t c = 0; c < answers.out.size(); ++c)
    if (!settles(static_cast<index>(c), answers.out[c], &LeastBounds::out)) return false;
  return true;
}

}  // namespace

bool conforms(const Problem& problem, const Truth& truth, const ForwardBound& bound, const Outputs& got,
              double log_sum_exp_unit) {
  const DefaultFloatingPoint environment;
  const RowReader out(got.out.view());
  std::vector<double> answers(got.out.exists() ? static_cast<std::size_t>(problem.shape.value_dim) : 0);
  BoundTable bounds(problem, truth, bound, BoundTable::Rows::without_weak_answers, [&](const RowPlace& at) {
    if (at.query >= got.out.view().rows(at.batch)) return false;
    if (!answers.empty()) out.read(at.batch, at.head, at.query, answers);
    const auto number = [&](const Tensor& tensor) {
      return log_sum_exp_unit * tensor.view().value(at.batch, at.head, at.query, 0);
    };
    RowAnswers row{answers, {}, {}};
    if (got.log_sum_exp.exists()) row.log_sum_exp = number(got.log_sum_exp);
    if (got.max_logits) row.max_logits = number(*got.max_logits);
    return !is_settled(truth, bound.least(), at, row);
  });
  const ComparedElements elements(truth, bounds, got, log_sum_exp_unit);
  for (std::size_t place = 0; place < bounds.places().size(); ++place) {
    for (const index c : elements.asked())
      if (!is_as_near_as_it_must(elements, bounds, place, c)) return false;
  }
  return true;
}

}  // namespace attestone::inline conformance
