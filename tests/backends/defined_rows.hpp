// SPDX-License-Identifier: Apache-2.0
// The rows of the score matrix by the rules: who is seen, scores, weights, and what a declared arithmetic may cost
// them.
#pragma once

#include <limits>
#include <vector>

#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"
#include "reference/numerics/declared_class.hpp"

namespace attestone {

/// One visible pair, in the letters of docs/rules.md; `_err` bounds the error of what it follows, relative for tau and
/// p_err.
struct DefinedPair {
  index key;
  double s, A, t, f;  // score, scale sum |q k|, tanh, slope of the cap
  double s_err, t_err;
  double p, z, tau;               // weight, factor of dropout, error of the forward pass's weight
  double dP, G, x, p_err;         // sum dO v, sum |dO v|, z dP - delta, error of the recomputed weight
  double gradient, gradient_err;  // p x
  double largest;                 // |dS| as a kernel may compute it
};

/// One row of the score matrix.
struct DefinedRow {
  index batch, head, query, kv_head;
  std::vector<DefinedPair> pairs = {};
  double L = -std::numeric_limits<double>::infinity(), m = -std::numeric_limits<double>::infinity(), ell = 0, L_err = 0;
  double sink_p = 0, sink_tau = 0;
  double delta = 0, delta_err = 0;
};

/// gamma_n of the error analysis: what n roundings may cost, relative to the sum of sizes.
inline double gamma(double n, double u) { return n * u / (1 - n * u); }

/// Scores and softmax, row by row, in double; problem, inputs and numerics must outlive it.
class DefinedRows {
 public:
  DefinedRows(const Problem&, const Inputs&, const Numerics&);

  /// The visible pairs of a row with their scores and weights; the fields of the backward pass are 0.
  DefinedRow row(index batch, index head, index query) const;

 private:
  void score(const DefinedRow&, DefinedPair&) const;
  void normalise(DefinedRow&) const;

  const Problem& p_;
  const Inputs& in_;
  const Numerics& n_;
  Bias bias_;
  Dropout dropout_;
  double u_;
};

}  // namespace attestone
