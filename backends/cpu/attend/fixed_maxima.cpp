// SPDX-License-Identifier: Apache-2.0
// Norms of rows, and the test whether they are small enough.
#include "backends/cpu/attend/fixed_maxima.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace attestone::inline backends {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

namespace fixed_maximum {

bool is_known(const Problem& problem) {
  const bool bounded = !problem.score.has_sink() && !problem.score.bias_tensor() && !problem.score.bias_formula();
  return bounded && problem.input.largest() >= std::exp2(lowered + 1);
}

void declare(WeightStage& stage) {
  constexpr double one_more = 1, rounding = 0.125, ln2 = std::numbers::ln2;
  stage.reference_below = (lowered + rounding) * ln2;
  stage.bounded_maximum = {.lowered = (lowered - one_more - rounding) * ln2,
                           .largest = (largest_bound + rounding) * ln2};
}

double norm(const ConstView& rows, index batch, index head, index row) {
  double squares = 0;
  for (index c = 0; c < rows.extents()[3]; ++c) {
    const double x = rows.value(batch, head, row, c);
    squares += x * x;
  }
  return squares < infinity ? std::sqrt(squares) : infinity;
}

double largest_norm(const ConstView& tensor, index batch, index head, index rows) {
  double largest = 0;
  for (index row = 0; row < rows; ++row) largest = std::max(largest, norm(tensor, batch, head, row));
  return largest;
}

}  // namespace fixed_maximum

FixedMaxima::FixedMaxima(const Problem& problem, const KernelInputs& inputs, Device& device)
    : problem_(problem), query_(inputs.query), per_norm_(device, problem.shape.batch * problem.shape.heads, "bounds") {
  const Shape& shape = problem.shape;
  const double scale = std::abs(problem.scale()) * std::numbers::log2e;
  for (index batch = 0; batch < shape.batch; ++batch) {
    const Sequence own = problem.sequence(batch);
    std::vector<double> keys;
    for (index head = 0; head < shape.kv_heads; ++head)
      keys.push_back(fixed_maximum::largest_norm(inputs.key, batch, head, own.keys));
    for (index head = 0; head < shape.heads; ++head) {
      const double per_norm = scale * keys[static_cast<std::size_t>(shape.kv_head(head))];
      const double bound = per_norm * fixed_maximum::largest_norm(query_, batch, head, own.queries);
      per_norm_[batch * shape.heads + head] =
          static_cast<float>(bound <= fixed_maximum::largest_bound ? per_norm : infinity);
    }
  }
}

index FixedMaxima::bytes(const Problem& problem) {
  return problem.shape.batch * problem.shape.heads * static_cast<index>(sizeof(float));
}

void FixedMaxima::begin(const AttendedHead& head, AttendState& state) const {
  const double per_norm = per_norm_[head.batch * problem_.shape.heads + head.head];
  if (!(per_norm < infinity)) return;
  state.fix(head.sequence.queries, [&](index query) {
    return fixed_maximum::of(per_norm * fixed_maximum::norm(query_, head.batch, head.head, query));
  });
}

}  // namespace attestone::inline backends
