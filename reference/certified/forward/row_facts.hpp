// SPDX-License-Identifier: Apache-2.0
// Facts on rows of Q, K and V that the bounds need, and removal of NaN and infinities from these rows.
#pragma once

#include <span>

#include "reference/shape.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

/// Facts about one vector of numbers which bound dot products with it.
struct VectorFacts {
  double norm = 0;           ///< at least the Euclidean norm
  int lowest_bit = 1 << 20;  ///< every element is a multiple of 2^lowest_bit
};

/// Finite elements only; an empty or zero vector has norm 0 and the default lowest bit.
VectorFacts vector_facts(std::span<const double> vector);

/// Replaces NaN and infinities by 0.
void zero_specials(std::span<double> row);

/// The facts of a row after zero_specials; `special` tells whether it found any.
VectorFacts cleaned_facts(std::span<double> row, bool& special);

/// The facts of a row of V.
struct ValueFacts {
  double peak;   ///< the largest magnitude of the row
  bool special;  ///< whether there were NaN or infinities
};
/// Cleans a row of V, aligned and of a multiple of 8 elements; raises peaks[c] to at least |row[c]|.
ValueFacts cleaned_value_facts(std::span<double> row, double* peaks);

}  // namespace attestone
