// SPDX-License-Identifier: Apache-2.0
// A row of four keys, and how far its scores may stray: docs/tolerance.md, "Scores", worked out a second time.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "reference/error_bound/forward/row_scores.hpp"

namespace attestone::second_scores {

inline constexpr double u = 0x1p-10, u_in = 0x1p-11, u_pre = 0x1p-12, tanh_error = 0x1p-9, u_stored = 0x1p-8;
inline constexpr double eta = 0x1p-13, eta_pre = 0x1p-14, eta_stored = 0x1p-15, u_gradient = 0x1p-16;

inline double several(double n, double r) { return n * r / (1 - n * r); }

inline Numerics all_errors() {
  Numerics numerics;
  numerics.score.accumulator = {.roundoff = u, .largest = 1e300, .underflow = eta};
  numerics.score.operand_roundoff = u_in;
  numerics.score.prescale = {.roundoff = u_pre, .underflow = eta_pre};
  numerics.score.stored = {.roundoff = u_stored, .underflow = eta_stored, .largest = 1e300};
  numerics.score.tanh_error = tanh_error;
  numerics.gradient.accumulator.roundoff = u_gradient;
  return numerics;
}

/// One query and four keys of five channels; the last key is zero.
struct Case {
  explicit Case(const std::string& more)
      : problem(parse_problem("shape=1x1x1x4x5 dtype=f64 " + more)), inputs(problem) {
    for (index c = 0; c < 5; ++c) {
      inputs.query.view().set(0, 0, 0, c, q[static_cast<std::size_t>(c)]);
      for (index j = 0; j < 4; ++j) inputs.key.view().set(0, 0, j, c, key(j, c));
    }
    if (inputs.bias)
      for (index j = 0; j < 4; ++j) inputs.bias->view().set(0, 0, 0, j, bias[static_cast<std::size_t>(j)]);
    if (inputs.sink) inputs.sink->view().set(0, 0, 0, 0, sink);
  }

  static double key(index j, index c) { return j == 3 ? 0 : static_cast<double>((j + 1) * (c % 2 == 0 ? 1 : -2) + c); }
  RowScores scores(const Numerics& numerics = all_errors()) const {
    return row_scores(DecodedInputs(problem, inputs), numerics, 0, 0, 0);
  }

  static constexpr std::array<double, 5> q{0.5, -1, 0.25, 2, 1};
  static constexpr std::array<double, 4> bias{0.5, -3, 0, 2};
  static constexpr double sink = -2.5;
  Problem problem;
  Inputs inputs;
};

/// One key, step by step.
struct Expected {
  Expected(index j, double scale, double cap, const double* bias, double roundings_of_bias) {
    double magnitude = 0, norms = 0;
    for (index c = 0; c < 5; ++c) {
      const double x = Case::q[static_cast<std::size_t>(c)], k = Case::key(j, c);
      raw += x * k, magnitude += std::abs(x * k), norms += std::abs(x) + std::abs(k), key_norm += std::abs(k);
    }
    a = scale * magnitude;
    largest_raw = magnitude * (several(6, u) + operands());
    score = scale * raw;
    const double larger = std::max(1.0, scale);
    const double underflow = a == 0 ? 0 : eta * (14 * larger + (1 + scale) * norms) + eta_pre * key_norm;
    const double of_sum = several(6, u) * a + operands() * a + underflow;
    chain = several(6, u) * a * (1 + several(4, u));
    if (cap == 0) {
      error = of_sum * (1 + several(4, u)) + several(4, u) * std::abs(score);
    } else {
      score = cap * std::tanh(score / cap);
      const double s = std::abs(score), of_argument = several(5, u);
      const double capped = (of_sum * (1 + of_argument) + of_argument * (1 + of_argument) * s) * (1 + tanh_error);
      error = (capped + tanh_error * s) * (1 + several(4, u)) + several(4, u) * s;
      chain *= (1 + several(5, u)) * (1 + tanh_error);
      tanh = (error + u_stored * s + eta_stored * larger) * (1 + several(2, u_gradient));
      tanh = (tanh + several(2, u_gradient) * s) / cap;
    }
    const double before = std::abs(score);
    if (bias) {
      const double own = several(roundings_of_bias, u) * std::abs(*bias) + (*bias == 0 ? 0 : 4 * eta * larger);
      score += *bias;
      error += own + u * (std::abs(score) + error + own);
      chain *= 1 + u;
    }
    if (score == 0 && error == 0) return;
    stored = u_stored * std::max(before, std::abs(score)) + eta_stored * larger + u_stored * error;
    error += stored;
  }

  static double operands() { return ((1 + u_in) * (1 + u_in) * (1 + u_pre) - 1) * (1 + several(6, u)); }

  double raw = 0, a = 0, largest_raw = 0, key_norm = 0, score = 0, error = 0, chain = 0, stored = 0, tanh = 0;
};

}  // namespace attestone::second_scores
