// SPDX-License-Identifier: Apache-2.0
// The mean of integers, where all scores tie.
#include <bit>
#include <cmath>

#include "conformance/properties/exact_inputs.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {
namespace {

// Integers this small are exact in every format.
constexpr index largest_integer = 8, largest_exponent = 4;
constexpr index no_row = 0xFFFFFFFF;

/// Q = 0, and V holds integers times one power of two.
ElementSource tied(const Problem& problem) {
  const Draw draw = draw_for(problem, {TensorName::value, 0, 0, no_row, 0});
  const double unit = std::ldexp(1.0, static_cast<int>(draw.integer(-largest_exponent, largest_exponent)));
  return [&problem, unit](const Element& at) {
    if (at.tensor == TensorName::query) return 0.0;
    return unit * static_cast<double>(draw_for(problem, at).integer(-largest_integer, largest_integer));
  };
}

std::string inapplicable(const Problem& problem) { return without_exact_answers(problem); }

Verdict check(Trial& trial) {
  const Problem& problem = trial.problem();
  const VisiblePairs visible(problem);
  const Inputs inputs = filled_forward(problem, tied(problem));
  const Shape& s = problem.shape;
  const std::vector<double> values = packed_values(inputs.value.view());
  const Numerics& numerics = trial.numerics();
  const auto is_exact = [&](index count) {
    return std::has_single_bit(static_cast<std::uint64_t>(count)) && keeps_ties_exact(numerics, count, largest_integer);
  };
  return exactly(trial, inputs, [&](index b, index h, index i, index c) -> std::optional<ExactNumber> {
    const index count = visible.count(b, h, i);
    if (count == 0) return of_empty_row(trial);
    if (!is_exact(count)) return std::nullopt;
    const std::span<const std::uint8_t> sees = visible.row(b, h, i);
    const double* value = values.data() + (b * s.kv_heads + s.kv_head(h)) * s.keys * s.value_dim + c;
    double sum = 0;
    for (index j = 0; j < s.keys; ++j, value += s.value_dim)
      if (sees[static_cast<std::size_t>(j)]) sum += *value;
    return ExactNumber{sum / static_cast<double>(count)};
  });
}

const Registration<Property> registered{{
    .name = "exact_mean",
    .claim = "over 2^k tied keys every weight is 2^-k, so with integers times a power of two in V the answer is exact",
    .inapplicable = inapplicable,
    .check = check,
    .needs = {TensorName::out},
}};

}  // namespace
}  // namespace attestone::inline conformance
