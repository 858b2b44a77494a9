// SPDX-License-Identifier: Apache-2.0
// The innermost loops of the bounds, four addends at a time, so that each running sum is read and written once for all
// of them. On every machine the same operations in the same order, and so the same bits.
#pragma once

#include <array>
#include <cstddef>

#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {

/// Addends taken together.
inline constexpr std::size_t together = 4;
template <class T>
using Four = std::array<T, together>;

/// raw[j] += sum_i q_i k_ij and magnitude[j] += sum_i |q_i k_ij| for j < count.
void add_products(const Four<double>& q, const Four<const double*>& k, std::size_t count, double* raw,
                  double* magnitude);

/// Four keys: their values and weights. Past the last key, the last one with weight 0.
struct FourKeys {
  Four<const double*> v = {};
  Four<double> share = {}, present = {}, upper = {}, error = {}, systematic = {}, chain_root = {};
};

/// Sums before the factor of dropout: the answer, the least and the largest of its partial sums, the sum of values.
struct AnswerSums {
  double *out, *lowest, *highest, *mean;
};

/// Adds share v to `out` and present v to `mean`.
void add_answer(const FourKeys&, std::size_t channels, const AnswerSums&);

/// ValueSums' lists of the same names, by channel.
struct ErrorSums {
  const double *out, *seen_from;
  double *weighted, *cast_squares, *error, *systematic, *chain_squares, *seen;
};

/// Adds what the four keys contribute; `centred` as for value_sums(), `factor` that of dropout.
void add_errors(const FourKeys&, double factor, bool centred, std::size_t channels, const ErrorSums&);

}  // namespace attestone
