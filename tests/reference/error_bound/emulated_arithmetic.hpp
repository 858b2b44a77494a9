// SPDX-License-Identifier: Apache-2.0
// The operations that emulated kernels are made of, each rounded as its recipe says.
#pragma once

#include <vector>

#include "tests/reference/error_bound/emulated_kernel.hpp"

namespace attestone::emulation {

/// The operations of a recipe.
class Arithmetic {
 public:
  Arithmetic(const Problem& problem, const Numerics& numerics, const Recipe& recipe)
      : problem_(problem), numerics_(numerics), recipe_(recipe) {}

  /// Zero instead of a subnormal number, if the recipe flushes.
  double flushed(double) const;
  /// One operation of the accumulator.
  double once(double) const;
  /// start + sum x y, in the order and rounding of the recipe.
  double sum_of_products(double start, const std::vector<double>& x, const std::vector<double>& y) const;
  double exp(double x, std::size_t key, double first_channel) const;
  /// The weight, cast as it is before it multiplies V.
  double cast(double weight) const;
  /// The elements of one row, flushed.
  std::vector<double> row(const ConstView&, index batch, index head, index row) const;

 private:
  double pairwise(const std::vector<double>& x, const std::vector<double>& y, std::size_t from, std::size_t to) const;
  double truncated_block(double start, const std::vector<double>& x, const std::vector<double>& y, std::size_t from,
                         std::size_t to) const;

  const Problem& problem_;
  const Numerics& numerics_;
  const Recipe& recipe_;
};

}  // namespace attestone::emulation
