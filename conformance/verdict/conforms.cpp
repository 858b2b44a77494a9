// SPDX-License-Identifier: Apache-2.0
// Asking every element only whether it is within its bounds, the cheap ones first.
#include <algorithm>
#include <cmath>

#include "conformance/verdict/compare.hpp"
#include "conformance/verdict/compared_elements.hpp"
#include "reference/floating_point_environment.hpp"
#include "reference/row_reader.hpp"

namespace attestone {
namespace {

bool within(double error, double bound) { return !(share_of_budget(error, bound) > 1); }

/// Whether nothing can be said of the element, or it is as near to the truth as it must be.
bool is_as_near_as_it_must(const ComparedElements& elements, BoundTable& bounds, std::size_t place, index channel) {
  if (is_left_open(elements.truth(place, channel))) return true;
  const double deterministic = bounds.deterministic(place, channel);
  if (!std::isfinite(deterministic) && !elements.is_certainly_special(place, channel)) return true;
  const double error = elements.error(place, channel);
  if (within(error, bounds.probabilistic_at_least(place, channel))) return true;
  return within(error, deterministic) && within(error, bounds.probabilistic(place, channel));
}

/// Whether the row conforms by what no bound is below. What nobody asks for conforms: no answers, and no log_sum_exp.
bool is_settled(const Truth& truth, const LeastBounds& least, const RowPlace& at, std::span<const double> answers,
                std::optional<double> log_sum_exp) {
  const auto near = [](double got, const Certified& right, double bound) {
    if (!std::isfinite(got) || !std::isfinite(right.value)) return got == right.value;
    return std::abs(got - right.value) - right.bound <= bound;
  };
  const Certified& right = truth.log_sum_exp(at.batch, at.head, at.row);
  const auto several_are_right = [&](index channel) {
    return truth.admissible(at.batch, at.head, at.row, channel) != nullptr;
  };
  if (log_sum_exp && (several_are_right(log_sum_exp_channel) || !near(*log_sum_exp, right, least.log_sum_exp(right))))
    return false;
  for (std::size_t c = 0; c < answers.size(); ++c) {
    const Certified& element = truth.out(at.batch, at.head, at.row, static_cast<index>(c));
    if (several_are_right(static_cast<index>(c)) || !near(answers[c], element, least.out(element))) return false;
  }
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
    std::optional<double> log_sum_exp;
    if (const ConstView view = got.log_sum_exp.view(); view.exists())
      log_sum_exp = log_sum_exp_unit * view.value(at.batch, at.head, at.query, 0);
    return !is_settled(truth, bound.least(), at, answers, log_sum_exp);
  });
  const ComparedElements elements(truth, bounds, got, log_sum_exp_unit);
  for (std::size_t place = 0; place < bounds.places().size(); ++place) {
    for (index c = elements.first_channel(); c < elements.channels(); ++c)
      if (!is_as_near_as_it_must(elements, bounds, place, c)) return false;
  }
  return true;
}

}  // namespace attestone
