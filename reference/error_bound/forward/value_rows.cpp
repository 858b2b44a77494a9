// SPDX-License-Identifier: Apache-2.0
// Asking dropout about every key of one row.
#include "reference/error_bound/forward/value_rows.hpp"

namespace attestone {

ValueRows::ValueRows(const DecodedInputs& inputs, const RowScores& scores, index batch, index head, index query)
    : nothing_(inputs.no_value()), channels_(static_cast<std::size_t>(inputs.problem().shape.value_dim)) {
  const Dropout& dropout = inputs.dropout();
  if (dropout) factor_ = dropout.factor();
  rows_.reserve(scores.size());
  for (const index key : scores.keys) {
    const bool kept = !dropout || dropout.keeps({batch, head, query, key});
    rows_.push_back(kept ? inputs.value(batch, head, key) : nothing_);
    if (dropout) given_.push_back(inputs.value(batch, head, key));
    if (const double* slack = inputs.value_slack(batch, head, key)) slack_.push_back(kept ? slack : nullptr);
  }
  if (!scores.has_sink()) return;
  rows_.push_back(nothing_);
  if (has_slack()) slack_.push_back(nullptr);
}

}  // namespace attestone
