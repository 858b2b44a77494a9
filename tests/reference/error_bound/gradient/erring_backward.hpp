// SPDX-License-Identifier: Apache-2.0
// A backward pass whose roundings err by as much as is declared, of one batch.
//
// Written from the description of the arithmetic only: nothing here is shared with reference/error_bound/.
#pragma once

#include "tests/reference/error_bound/exact_gradients.hpp"
#include "tests/reference/error_bound/gradient/erring_row.hpp"

namespace attestone::emulation {

/// Before the last rounding to a tensor's format: the errors of one are all that differs from the truth.
struct ErringGradients {
  explicit ErringGradients(const Inputs&);
  RealTensor query, key, value;
  std::optional<RealTensor> bias, sink;
};

ErringGradients erring_gradients(const Problem&, const Inputs&, const Numerics&, const Form&, Roundings&);

}  // namespace attestone::emulation
