// SPDX-License-Identifier: Apache-2.0
// Summing the gradient of the sinks.
#include "backends/cpu/parts/sink_gradient.hpp"

#include <array>
#include <cmath>

#include "backends/cpu/parts/head_sink.hpp"
#include "backends/cpu/parts/score_row.hpp"
#include "backends/cpu/parts/visible_tiles.hpp"

namespace attestone {
namespace {

bool sees_any(const VisibleTiles& visible, const ScoreRow& scores, index query, index keys) {
  std::array<float, 64> buffer;
  constexpr auto stretch = static_cast<index>(buffer.size());
  bool any = false;
  for (index first = 0; first < keys && !any; first += stretch) {
    const Interval some{first, std::min(first + stretch, keys) - 1};
    visible.for_each_run(query, some, scores.biases(query, some, buffer.data()), [&](Interval) { any = true; });
  }
  return any;
}

double inner_product(const float* a, const float* b, index count) {
  double sum = 0;
  for (index c = 0; c < count; ++c) sum += double{a[c]} * double{b[c]};
  return sum;
}

}  // namespace

index sink_gradient_bytes(const Problem& problem) {
  return problem.score.has_sink() ? 2 * problem.shape.value_dim * static_cast<index>(sizeof(float)) : 0;
}

void store_sink_gradient(const Problem& problem, const BackwardArguments& arguments, Device& device) {
  if (!arguments.dsink) return;
  const Shape& shape = problem.shape;
  const FloatRows out(arguments.out), dout(arguments.dout), log_sum_exp(arguments.log_sum_exp);
  Allocation<float> O(device, shape.value_dim, "row of out"), dO(device, shape.value_dim, "row of dout");
  for (index head = 0; head < shape.heads; ++head) {
    const double logit = HeadSink(arguments, head).logit();
    double sum = 0;
    for (index batch = 0; batch < shape.batch; ++batch) {
      const VisibleTiles visible(problem, arguments, batch, head);
      const ScoreRow scores(problem, arguments, batch, head, ScoreRow::Base::two);
      const Sequence sequence = problem.sequence(batch);
      for (index query = 0; query < sequence.queries; ++query) {
        if (!sees_any(visible, scores, query, sequence.keys)) continue;
        out.read(batch, head, query, O.data());
        dout.read(batch, head, query, dO.data());
        float L = 0;
        log_sum_exp.read(batch, head, query, &L);
        device.compute(
            {.bytes = row_bytes(arguments.out) + row_bytes(arguments.dout) + row_bytes(arguments.log_sum_exp)});
        sum -= std::exp(logit - double{L}) * inner_product(O.data(), dO.data(), shape.value_dim);
      }
    }
    arguments.dsink->set(0, head, 0, 0, sum);
  }
}

}  // namespace attestone
