// SPDX-License-Identifier: Apache-2.0
// The elements of gradients to which one row of attention contributes.
#pragma once

#include <algorithm>

#include "reference/certified/backward/gradient_truth.hpp"

namespace attestone::inline conformance {

/// A row of attention.
struct AttentionRow {
  index batch, head, query;
};

/// change(element) for each element of the row's dQ, as far as the truth knows it.
template <class Change>
void change_query_gradient(GradientTruth& truth, const AttentionRow& row, Change change) {
  const auto found = std::lower_bound(truth.queries.begin(), truth.queries.end(), row.query);
  if (found == truth.queries.end() || *found != row.query) return;
  for (index c = 0; c < truth.query.extents()[3]; ++c)
    change(truth.query.at(row.batch, row.head, found - truth.queries.begin(), c));
}

/// Changes all of dK and dV of the kv head that the row reads, the elements of dBias to which its pairs send, and the
/// dSink of its head.
template <class Change>
void change_shared_gradients(GradientTruth& truth, const AttentionRow& row, const Shape& shape, Change change) {
  for (CertifiedTensor* tensor : {&truth.key, &truth.value})
    for (index j = 0; j < tensor->extents()[2]; ++j)
      for (index c = 0; c < tensor->extents()[3]; ++c) change(tensor->at(row.batch, shape.kv_head(row.head), j, c));
  if (truth.bias) {
    const Extents& e = truth.bias->extents();
    const auto place = [&](std::size_t axis, index at) { return e[axis] == 1 ? 0 : at; };
    for (index j = 0; j < e[3]; ++j)
      change(truth.bias->at(place(0, row.batch), place(1, row.head), place(2, row.query), j));
  }
  if (truth.sink) change(truth.sink->at(0, row.head, 0, 0));
}

/// NaN is right as well from now on.
inline void admit_nan(Certified& element) {
  if (element.non_finite == NonFinite::wrong) element.non_finite = NonFinite::nan;
}

}  // namespace attestone::inline conformance
