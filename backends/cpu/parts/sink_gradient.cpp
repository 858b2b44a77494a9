// SPDX-License-Identifier: Apache-2.0
// Summing the gradient of the sinks.
#include "backends/cpu/parts/sink_gradient.hpp"

#include <cmath>

#include "backends/cpu/parts/head_sink.hpp"
#include "backends/cpu/parts/sees_any_key.hpp"

namespace attestone::inline backends {
namespace {

/// delta = sum dO O of one query after the other: as it was given, or in double.
class Deltas {
 public:
  Deltas(const BackwardArguments& arguments, index value_dim, Device& device)
      : out_(arguments.out),
        dout_(arguments.dout),
        O_(device, value_dim, "row of out"),
        dO_(device, value_dim, "row of dout"),
        bytes_(row_bytes(arguments.delta ? *arguments.delta : arguments.out) +
               (arguments.delta ? 0 : row_bytes(arguments.dout))) {
    if (arguments.delta) given_.emplace(*arguments.delta);
  }
  /// The bytes of memory that a read takes.
  index bytes() const { return bytes_; }

  double of(index batch, index head, index query) {
    float given = 0;
    if (given_) return given_->read(batch, head, query, &given), given;
    out_.read(batch, head, query, O_.data());
    dout_.read(batch, head, query, dO_.data());
    double sum = 0;
    for (std::size_t c = 0; c < O_.span().size(); ++c) sum += double{O_.span()[c]} * double{dO_.span()[c]};
    return sum;
  }

 private:
  std::optional<FloatRows> given_;
  FloatRows out_, dout_;
  Allocation<float> O_, dO_;
  index bytes_;
};

}  // namespace

index sink_gradient_bytes(const Problem& problem) {
  return problem.score.has_sink() ? 2 * problem.shape.value_dim * static_cast<index>(sizeof(float)) : 0;
}

void store_sink_gradient(const Problem& problem, const BackwardArguments& arguments, Device& device) {
  if (!arguments.dsink) return;
  const Shape& shape = problem.shape;
  const FloatRows log_sum_exp(arguments.log_sum_exp);
  Deltas deltas(arguments, shape.value_dim, device);
  for (index head = 0; head < shape.heads; ++head) {
    const double logit = HeadSink(arguments, head).logit();
    double sum = 0;
    for (index batch = 0; batch < shape.batch; ++batch) {
      const SeesAnyKey sees_any(problem, arguments, batch, head);
      const index queries = problem.sequence(batch).queries;
      for (index query = 0; query < queries; ++query) {
        float L = 0;
        log_sum_exp.read(batch, head, query, &L);
        // In a part, only L tells whether its queries see anything elsewhere.
        const bool counts = arguments.delta ? L != -std::numeric_limits<float>::infinity() : sees_any(query);
        if (!counts) continue;
        sum -= std::exp(logit - double{L}) * deltas.of(batch, head, query);
        device.compute({.bytes = row_bytes(arguments.log_sum_exp) + deltas.bytes()});
      }
    }
    arguments.dsink->set(0, head, 0, 0, sum);
  }
}

}  // namespace attestone::inline backends
