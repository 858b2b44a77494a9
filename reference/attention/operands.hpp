// SPDX-License-Identifier: Apache-2.0
// The starting point of every step of the ladder: the inputs as doubles, the scores s of rule 1, and who sees whom.
#pragma once

#include <span>

#include "reference/attention/rows.hpp"
#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"

namespace attestone {

/// The operands of softmax(S) V for one problem, which must outlive them. Query head h reads kv head
/// h / (heads / kv_heads).
class Operands {
 public:
  Operands(const Problem&, const Inputs&);

  const Shape& shape() const { return problem_.shape; }
  /// Neither padding, nor masked, nor hidden by a bias of -infinity.
  bool visible(const Pair&) const;
  /// s = scale q.k, capped, plus the bias: what the softmax is taken of. Only for visible pairs.
  double score(const Pair&) const;
  /// ds / d(q.k): the scale, times 1 - tanh^2 under a softcap.
  double slope(const Pair&) const;
  /// The logit of the head's sink; -infinity without one, so that it weighs nothing.
  double sink(index head) const;
  /// The factor of the pair's weight in P V: 0 if dropout drops it, 1 / (1 - rate) if it keeps it, 1 without dropout.
  double dropout(const Pair&) const;

  /// q [dim], k [dim], v [value_dim] and dO [value_dim] of the pair.
  std::span<const double> query(const Pair& at) const { return query_(at.batch, at.head, at.query); }
  std::span<const double> key(const Pair& at) const { return key_(at.batch, shape().kv_head(at.head), at.key); }
  std::span<const double> value(const Pair& at) const { return value_(at.batch, shape().kv_head(at.head), at.key); }
  std::span<const double> dout(const Pair& at) const { return dout_(at.batch, at.head, at.query); }
  /// o += weight * dropout * v. What a dropped pair's V holds does not matter.
  void add_value(const Pair&, double weight, std::span<double> o) const;

 private:
  double scaled_product(const Pair&) const;

  const Problem& problem_;
  Bias bias_;
  Dropout dropout_;
  Rows query_, key_, value_, sink_, dout_;
};

/// Calls visit(batch, head, query) for every row of the answer.
template <class Visit>
void for_each_row(const Shape& shape, Visit visit) {
  for (index batch = 0; batch < shape.batch; ++batch)
    for (index head = 0; head < shape.heads; ++head)
      for (index query = 0; query < shape.queries; ++query) visit(batch, head, query);
}

}  // namespace attestone
