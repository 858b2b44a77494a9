// SPDX-License-Identifier: Apache-2.0
// Gradients straight from their definition (docs/rules.md, rule 8) in MPFR; shares no code with reference/certified.
#pragma once

#include <optional>
#include <vector>

#include "reference/call/tensors.hpp"
#include "tests/reference/certified/numbers/real.hpp"

namespace attestone {

/// A gradient [batch, heads, rows, channels], and what the terms of each element add up to without cancellation: the
/// oracle errs by less than 2^-600 of that.
struct OracleTensor {
  explicit OracleTensor(const Extents& of)
      : extents(of), value(static_cast<std::size_t>(element_count(of))), magnitude(value.size()) {}
  std::size_t place(index batch, index head, index row, index channel) const {
    return static_cast<std::size_t>(((batch * extents[1] + head) * extents[2] + row) * extents[3] + channel);
  }
  void add(std::size_t at, const Real& term, const Real& term_magnitude) {
    value[at] += term;
    magnitude[at] += term_magnitude;
  }

  Extents extents;
  std::vector<Real> value;
  std::vector<Real> magnitude;  ///< in a double its factors may overflow although it does not
};

struct OracleGradients {
  OracleTensor query, key, value;
  std::optional<OracleTensor> bias, sink;
};

OracleGradients oracle_gradients(const Problem&, const Inputs&);

/// <out, dout> of the whole problem, from the definition of the forward pass.
Real oracle_loss(const Problem&, const Inputs&);

}  // namespace attestone
