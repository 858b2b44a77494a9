// SPDX-License-Identifier: Apache-2.0
// Windows are laid greedily: each begins at the first quantity that its predecessor does not reach.
#include "reference/error_bound/windows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace attestone {

namespace {

/// The quadrature over a list sorted by quantity_of(each).
template <class List, class QuantityOf, class ErrorOf>
double quadrature(const List& sorted, double width, const QuantityOf& quantity_of, const ErrorOf& error_of) {
  double squares = 0;
  for (auto first = sorted.begin(); first != sorted.end();) {
    double window = 0;
    auto next = first;
    for (; next != sorted.end() && quantity_of(*next) - quantity_of(*first) <= width; ++next) window += error_of(*next);
    if (next == first) ++next;  // a NaN reaches nothing, not even itself
    squares += window * window;
    first = next;
  }
  return lambda * std::sqrt(squares);
}

bool is_few(std::size_t errors) { return static_cast<double>(errors) <= lambda * lambda; }

}  // namespace

double windowed_quadrature(std::vector<Rounded> errors, double width) {
  const auto less = [](const Rounded& a, const Rounded& b) { return a.quantity < b.quantity; };
  if (!std::is_sorted(errors.begin(), errors.end(), less)) std::sort(errors.begin(), errors.end(), less);
  return quadrature(
      errors, width, [](const Rounded& each) { return each.quantity; }, [](const Rounded& each) { return each.error; });
}

double windowed_sum(double sum, std::vector<Rounded> errors, double width) {
  return is_few(errors.size()) ? sum : std::min(sum, windowed_quadrature(std::move(errors), width));
}

double windowed_sum(double sum, std::vector<double> numbers, double largest_error, double width) {
  if (is_few(numbers.size())) return sum;
  std::sort(numbers.begin(), numbers.end());
  return std::min(
      sum, quadrature(
               numbers, width, [](double x) { return x; }, [&](double x) { return std::min(x, largest_error); }));
}

}  // namespace attestone
