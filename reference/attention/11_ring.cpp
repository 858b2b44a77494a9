// SPDX-License-Identifier: Apache-2.0
// N steps; at each, every device meets another part of the keys.
#include "reference/attention/11_ring.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reference/attention/operands.hpp"
#include "reference/call/partial.hpp"

namespace attestone {
namespace {

/// Rows first <= row < end.
struct Part {
  index first, end;
};
Part part(index rows, index devices, index number) { return {rows * number / devices, rows * (number + 1) / devices}; }

/// Calls visit(query, keys) for every query of every device and the keys that lie there at this step.
template <class Visit>
void for_each_meeting(const Shape& shape, index devices, index step, Visit visit) {
  for (index device = 0; device < devices; ++device) {
    const Part queries = part(shape.queries, devices, device);
    const Part keys = part(shape.keys, devices, (device - step + devices) % devices);
    for (index query = queries.first; query < queries.end; ++query) visit(query, keys);
  }
}

}  // namespace

Answer ring_attention(const Problem& problem, const Inputs& inputs, index devices) {
  const Operands operands(problem, inputs);
  const Shape& shape = problem.shape;
  Answer answer(shape);
  for (index batch = 0; batch < shape.batch; ++batch)
    for (index head = 0; head < shape.heads; ++head) {
      std::vector<Partial> known(static_cast<std::size_t>(shape.queries),
                                 Partial::of_sink(operands.sink(head), shape.value_dim));
      for (index step = 0; step < devices; ++step)
        for_each_meeting(shape, devices, step, [&](index query, Part keys) {
          Partial block(shape.value_dim);
          for (Pair pair{batch, head, query, keys.first}; pair.key < keys.end; ++pair.key)
            if (operands.visible(pair))
              block.merge(Partial::of_key(operands.score(pair), operands.value(pair), operands.dropout(pair)));
          known[static_cast<std::size_t>(query)].merge(Partial::of_answer(block.log_sum_exp(), block.out()));
        });
      for (index query = 0; query < shape.queries; ++query) {
        const Partial& all = known[static_cast<std::size_t>(query)];
        std::ranges::copy(all.out(), answer.out(batch, head, query).begin());
        answer.log_sum_exp(batch, head, query) = all.log_sum_exp();
      }
    }
  return answer;
}

Gradient ring_gradient(const Problem& problem, const Inputs& inputs, const Answer& answer, index devices) {
  require(inputs.dout.has_value(), "a problem with gradients has a dO");
  const Operands operands(problem, inputs);
  const Shape& shape = problem.shape;
  Gradient gradient(inputs);
  for (index batch = 0; batch < shape.batch; ++batch)
    for (index head = 0; head < shape.heads; ++head)
      for (index step = 0; step < devices; ++step)
        for_each_meeting(shape, devices, step, [&](index query, Part keys) {
          const double L = answer.log_sum_exp(batch, head, query);
          const auto o = answer.out(batch, head, query), dO = operands.dout({batch, head, query, 0});
          const double delta = std::inner_product(o.begin(), o.end(), dO.begin(), 0.0);
          double sent = 0;  // of dS, to these keys: what the sink does not get
          for (Pair pair{batch, head, query, keys.first}; pair.key < keys.end; ++pair.key) {
            if (!operands.visible(pair)) continue;
            const double p = std::exp(operands.score(pair) - L), ds = p * (weight_gradient(operands, pair) - delta);
            gradient.add(operands, pair, p, ds);  // to the query that stays, and to the sums of the keys that pass
            sent += ds;
          }
          if (inputs.sink) gradient.sink(0, head, 0)[0] -= sent;
        });
  return gradient;
}

}  // namespace attestone
