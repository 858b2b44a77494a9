// SPDX-License-Identifier: Apache-2.0
// What every step of the ladder starts from: the inputs as doubles, the scores s of rule 1, and who sees whom.
#pragma once

#include <span>
#include <vector>

#include "reference/bias.hpp"

namespace attestone {

/// The operands of softmax(S) V for one problem, which must outlive them.
class Operands {
 public:
  Operands(const Problem&, const Inputs&);

  const Shape& shape() const { return problem_.shape; }
  /// Neither padding, nor masked, nor hidden by a bias of -infinity.
  bool visible(const Pair&) const;
  /// s = scale q.k, capped, plus biases: what the softmax is taken of. Only for visible pairs.
  double score(const Pair&) const;
  /// v, the value_dim numbers that the key of this pair contributes; query head h reads kv head h / (heads / kv_heads).
  std::span<const double> value(const Pair&) const;

 private:
  const Problem& problem_;
  Bias bias_;
  std::vector<double> query_, key_, value_;
};

/// Calls visit(batch, head, query) for every row of the answer.
template <class Visit>
void for_each_row(const Shape& shape, Visit visit) {
  for (index batch = 0; batch < shape.batch; ++batch)
    for (index head = 0; head < shape.heads; ++head)
      for (index query = 0; query < shape.queries; ++query) visit(batch, head, query);
}

}  // namespace attestone
