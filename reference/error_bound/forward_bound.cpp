// SPDX-License-Identifier: Apache-2.0
// Decodes once, and hands out rows.
#include "reference/error_bound/forward_bound.hpp"

#include "reference/error_bound/forward_row.hpp"

namespace attestone {

struct ForwardBound::Decoded {
  DecodedInputs inputs;
  Numerics numerics;
};

ForwardBound::ForwardBound(const Problem& problem, const Inputs& inputs, const Numerics& numerics)
    : decoded_(std::make_unique<const Decoded>(Decoded{DecodedInputs(problem, inputs), numerics})) {}

ForwardBound::~ForwardBound() = default;

std::unique_ptr<RowBound> ForwardBound::row(index batch, index head, index query) const& {
  return std::make_unique<ForwardRow>(decoded_->inputs, decoded_->numerics, batch, head, query);
}

}  // namespace attestone
