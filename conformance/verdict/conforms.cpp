// SPDX-License-Identifier: Apache-2.0
// Asking every element only whether it is within its bounds, the cheap ones first.
#include <cmath>

#include "conformance/verdict/compare.hpp"
#include "conformance/verdict/compared_elements.hpp"
#include "reference/floating_point_environment.hpp"

namespace attestone {
namespace {

bool within(double error, double bound) { return !(share_of_budget(error, bound) > 1); }

/// Whether nothing can be said of the element, or it is as near to the truth as it must be.
bool is_as_near_as_it_must(const ComparedElements& elements, BoundTable& bounds, std::size_t place, index channel) {
  const double deterministic = bounds.deterministic(place, channel);
  if (!std::isfinite(deterministic) && !elements.is_certainly_special(place, channel)) return true;
  const double error = elements.error(place, channel);
  if (within(error, bounds.probabilistic_at_least(place, channel))) return true;
  return within(error, deterministic) && within(error, bounds.probabilistic(place, channel));
}

}  // namespace

bool conforms(const Problem& problem, const Truth& truth, const ForwardBound& bound, const Outputs& got) {
  const DefaultFloatingPoint environment;
  BoundTable bounds(problem, truth, bound, BoundTable::Rows::without_weak_answers);
  const ComparedElements elements(truth, bounds, got);
  for (std::size_t place = 0; place < bounds.places().size(); ++place) {
    const RowPlace& at = bounds.places()[place];
    if (at.query >= got.out.view().rows(at.batch)) continue;
    for (index c = log_sum_exp_channel; c < elements.channels(); ++c)
      if (!is_as_near_as_it_must(elements, bounds, place, c)) return false;
  }
  return true;
}

}  // namespace attestone
