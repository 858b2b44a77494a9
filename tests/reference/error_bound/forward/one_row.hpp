// SPDX-License-Identifier: Apache-2.0
// Rows made by hand: scores and values as given, in doubles, so that a single declared error is all that a bound holds.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "reference/error_bound/forward/forward_bound.hpp"
#include "reference/numerics/declared_class.hpp"
#include "tests/reference/error_bound/emulated_kernel.hpp"

namespace attestone::emulation {

/// A declared error that is large beside the roundings of doubles, and small beside its own square.
inline constexpr double large = 0x1p-20;

/// fp64, one tile.
inline Numerics in_doubles() {
  Numerics numerics = default_numerics(dtype("f64"), dtype("f64"));
  numerics.weight.tile_keys = 0;
  return numerics;
}

/// One query over one channel: the query is 1, key j is the score of j.
struct OneRow {
  OneRow(const std::vector<double>& scores, const std::vector<double>& value, const std::string& more = "scale=1")
      : problem(parse_problem(fmt::format("shape=1x1x1x{}x1 dtype=f64 {}", scores.size(), more))), inputs(problem) {
    inputs.query.view().set(0, 0, 0, 0, 1);
    for (std::size_t j = 0; j < scores.size(); ++j) {
      inputs.key.view().set(0, 0, static_cast<index>(j), 0, scores[j]);
      inputs.value.view().set(0, 0, static_cast<index>(j), 0, value[j]);
    }
  }

  /// A row with more channels, all zero.
  explicit OneRow(const std::string& line) : problem(parse_problem(line)), inputs(problem) {}

  ExactRow truth() const { return exact(problem, inputs, 0, 0, 0); }

  Problem problem;
  Inputs inputs;
};

/// The answer of a kernel before it is rounded.
struct Answered {
  double out, log_sum_exp;
};

/// Errors over their deterministic bounds.
struct RowShares {
  double out, log_sum_exp;
};

inline RowShares shares_of(const OneRow& row, const Numerics& numerics, const Answered& got) {
  const ForwardBound bound(row.problem, row.inputs, numerics);
  const auto bounds = bound.row(0, 0, 0);
  const ExactRow truth = row.truth();
  const auto share = [](double x, long double exact_one, double limit) {
    return static_cast<double>(std::abs(static_cast<long double>(x) - exact_one)) / limit;
  };
  const RowShares shares{share(got.out, truth.out[0], bounds->out(0)),
                         share(got.log_sum_exp, truth.log_sum_exp, bounds->log_sum_exp())};
  fmt::print("  out {:.3f}, log_sum_exp {:.3f}\n", shares.out, shares.log_sum_exp);
  return shares;
}

}  // namespace attestone::emulation
