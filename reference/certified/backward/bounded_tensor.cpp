// SPDX-License-Identifier: Apache-2.0
// Sums of gradients become certified elements.
#include "reference/certified/backward/bounded_tensor.hpp"

#include <cmath>
#include <limits>

#include "reference/certified/numbers/elementary.hpp"
#include "reference/certified/numbers/enclosure.hpp"
#include "reference/certified/numbers/quick_decision.hpp"

namespace attestone {
namespace {

/// Covers products of small errors and the rounding of all bounds (docs/certified.md, "Margin").
constexpr double margin = 1 + 0x1p-18;
constexpr double smallest = std::numeric_limits<double>::denorm_min();

}  // namespace

void mark(Certified& element, Possible kinds) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), unknown = std::numeric_limits<double>::infinity();
  if (kinds.is_certainly_nan()) {
    element = {nan, 0, nan, true, NonFinite::wrong};
  } else if (!kinds.may_be_finite()) {
    element = {nan, unknown, nan, false, NonFinite::demanded};
  } else if (kinds.meets(Possible::positive | Possible::negative)) {
    element = {0, unknown, 0, false, NonFinite::any};
  } else if (!(kinds == Possible::zero)) {
    element.non_finite = kinds == (Possible::zero | Possible::nan) ? NonFinite::nan : NonFinite::any;
  }
}

FinishedElements::FinishedElements(index count)
    : value_(uninitialised_doubles(count)),
      bound_(uninitialised_doubles(count)),
      rounded_(uninitialised_doubles(count)) {}

void FinishedElements::finish(const Problem& problem, const double* value, const double* bound, index count,
                              double factor, double terms) {
  const double kept_share = 1 - problem.dropout, magnitude = std::fabs(factor) / kept_share;
  // Underflows of sums and of quotients; made once, as arithmetic down there is slow.
  const double of_terms = 4 * terms * smallest, of_quotient = 4 * smallest / kept_share;
  const auto bound_of = [&](double sum_bound, double result) {
    const double of_sum = (sum_bound + of_terms) * magnitude * margin;
    return (of_sum + 4 * unit_double * std::fabs(result) + of_quotient) * margin;
  };
  const double of_nothing = bound_of(0, 0);  // behind the last key, and where nothing was sent to
  for (index i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    value_[at] = value[i] * factor / kept_share;
    bound_[at] = bound[i] == 0 && value_[at] == 0 ? of_nothing : bound_of(bound[i], value_[at]);
  }
  decide_quickly(problem.output, value_.get(), bound_.get(), count, rounded_.get());
}

namespace {

/// to[i] = element i * step, as far as store_elements left it open. Returns how many stay undecided.
index store_open(const QuickDecisions& of, index step, index count, const DType& dtype, Certified* to) {
  index undecided = 0;
  for (index i = 0; i < count; ++i) {
    const index at = i * step;
    if (of.rounded[at] == of.rounded[at]) continue;
    to[i] = attestone::certified(of.value[at], of.bound[at], of.rounded[at], dtype);
    undecided += !to[i].decided;
  }
  return undecided;
}

}  // namespace

index FinishedElements::store_row(const Problem& problem, index first, index count, Certified* to) const {
  return attestone::store_row(from(first), count, to) ? store_open(from(first), 1, count, problem.output, to) : 0;
}

index FinishedElements::store_lanes(const Problem& problem, index count,
                                    const std::array<Certified*, lanes_of_elements>& to) const {
  const std::uint32_t open = attestone::store_lanes(from(0), count, to);
  index undecided = 0;
  for (index lane = 0; lane < lanes_of_elements; ++lane)
    if (Certified* row = to[static_cast<std::size_t>(lane)]; row && ((open >> lane) & 1))
      undecided += store_open(from(lane), lanes_of_elements, count, problem.output, row);
  return undecided;
}

std::size_t place_in(const Extents& extents, const Extents& at) {
  index place = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis)
    place = place * extents[axis] + (extents[axis] == 1 ? 0 : at[axis]);
  return static_cast<std::size_t>(place);
}

void BoundedTensor::add(std::size_t place, double term, double term_bound) {
  value[place] += term;
  bound[place] += term_bound + unit_double * std::fabs(value[place]);
}

CertifiedTensor BoundedTensor::certified(const Problem& problem) const {
  const double kept_share = 1 - problem.dropout;
  CertifiedTensor all(extents);
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double quotient = value[i] / kept_share;
    const double underflow = value[i] == 0 && bound[i] == 0 ? 0 : 4 * smallest / kept_share;
    const double error = (bound[i] / kept_share + 4 * unit_double * std::fabs(quotient) + underflow) * margin;
    Certified& element = all.at(0, 0, 0, static_cast<index>(i));
    element = attestone::certified(enclosed(quotient, error), problem.output);
    mark(element, special[i]);
  }
  return all;
}

}  // namespace attestone
