// SPDX-License-Identifier: Apache-2.0
// Head by head: dQ at once, dK, dV and the gradients of bias and sink when all that reaches them is summed.
#include "reference/error_bound/gradient/gradient_bound.hpp"

#include <cmath>

#include "reference/error_bound/gradient/gradient_head.hpp"
#include "reference/tensor/floating_point_environment.hpp"

namespace attestone {
namespace {

/// Sums for every element of a gradient, until heads and batches that share them have been added.
class SharedSums {
 public:
  /// `several`: more than one thing is added to an element, and kernels may round each of them first.
  SharedSums(const Extents& extents, bool several, const GradientFinish& finish)
      : bounds_(extents), several_(several), finish_(finish), sums_(static_cast<std::size_t>(element_count(extents))) {}

  void add(index b, index h, index r, index c, const GradientSum& sum) {
    at(b, h, r, c).add(several_ && sum.addends > 0 ? finish_.rounded_apart(sum) : sum);
  }
  void add_row(index b, index h, index r, const std::vector<GradientSum>& sums) {
    for (std::size_t c = 0; c < sums.size(); ++c) add(b, h, r, static_cast<index>(c), sums[c]);
  }
  ElementBounds finished() {
    const auto& [batches, heads, rows, channels] = bounds_.extents();
    for (index b = 0; b < batches; ++b)
      for (index h = 0; h < heads; ++h)
        for (index r = 0; r < rows; ++r)
          for (index c = 0; c < channels; ++c) finish_.store(at(b, h, r, c), bounds_, b, h, r, c);
    return std::move(bounds_);
  }

 private:
  GradientSum& at(index b, index h, index r, index c) {
    const auto& [batches, heads, rows, channels] = bounds_.extents();
    return sums_[static_cast<std::size_t>(((b * heads + h) * rows + r) * channels + c)];
  }

  ElementBounds bounds_;
  bool several_;
  GradientFinish finish_;
  std::vector<GradientSum> sums_;
};

/// Where the bias of a pair stands: axes of extent 1 are shared.
Extents bias_place(const Extents& extents, const Extents& pair) {
  Extents place;
  for (std::size_t axis = 0; axis < place.size(); ++axis) place[axis] = extents[axis] == 1 ? 0 : pair[axis];
  return place;
}

class Walk {
 public:
  Walk(const Problem& problem, const Inputs& inputs, const Numerics& numerics)
      : problem_(problem),
        inputs_(problem, inputs),
        numerics_(numerics),
        query_(inputs.query.view().extents()),
        key_(inputs.key.view().extents(), grouped(), of_keys()),
        value_(inputs.value.view().extents(), grouped(), {.numerics = numerics_, .in_parts = true}) {
    const Shape& s = problem.shape;
    if (inputs.bias) {
      const Extents extents = inputs.bias->view().extents();
      const bool broadcast = element_count(extents) < s.rows() * s.keys;
      bias_.emplace(extents, broadcast, GradientFinish{.numerics = numerics_});
      bias_extents_ = extents;
    }
    if (inputs.sink) sink_.emplace(inputs.sink->view().extents(), false, GradientFinish{.numerics = numerics_});
  }

  ElementBounds query_bounds() {
    for (index b = 0; b < problem_.shape.batch; ++b)
      for (index h = 0; h < problem_.shape.heads; ++h) bound_queries(GradientHead(inputs_, numerics_, b, h));
    return std::move(query_);
  }

  GradientBounds bounds() {
    for (index b = 0; b < problem_.shape.batch; ++b)
      for (index h = 0; h < problem_.shape.heads; ++h) visit(b, h);
    GradientBounds all{std::move(query_), key_.finished(), value_.finished(), std::nullopt, std::nullopt};
    if (bias_) all.bias = bias_->finished();
    if (sink_) all.sink = sink_->finished();
    return all;
  }

 private:
  bool grouped() const { return problem_.shape.heads > problem_.shape.kv_heads; }

  GradientFinish of_keys() const {
    const double operand = 1 + numerics_.gradient.operand_roundoff;
    return {.numerics = numerics_,
            .scale = std::abs(problem_.scale()),
            .operands = operand * operand * (1 + numerics_.score.prescale.roundoff) - 1,
            .scaled_operand = numerics_.score.prescale.underflow,
            .in_parts = true};
  }

  void bound_queries(const GradientHead& head) {
#pragma omp parallel if (is_worth_threads(problem_.shape))
    {
      const DefaultFloatingPoint environment;  // of this thread of the team
#pragma omp for schedule(dynamic)
      for (index i = 0; i < problem_.shape.queries; ++i) head.bound_query(i, query_);
    }
  }

  void visit(index b, index h) {
    const GradientHead head(inputs_, numerics_, b, h);
    const index kv_head = problem_.shape.kv_head(h);
    bound_queries(head);
#pragma omp parallel if (is_worth_threads(problem_.shape))
    {
      const DefaultFloatingPoint environment;  // of this thread of the team
#pragma omp for schedule(dynamic)
      for (index j = 0; j < problem_.shape.keys; ++j) {
        key_.add_row(b, kv_head, j, head.key_sums(j));
        value_.add_row(b, kv_head, j, head.value_sums(j));
      }
    }
    if (bias_) add_biases(b, h, head);
    if (sink_) sink_->add(0, h, 0, 0, head.sink_sum());
  }

  void add_biases(index b, index h, const GradientHead& head) {
    for (std::size_t i = 0; i < head.rows().size(); ++i)
      for (std::size_t j = 0; j < head.rows()[i].keys.size(); ++j) {
        const auto [at_b, at_h, at_i, at_j] =
            bias_place(bias_extents_, {b, h, static_cast<index>(i), head.rows()[i].keys[j]});
        bias_->add(at_b, at_h, at_i, at_j, head.bias_sum({i, j}));
      }
  }

  const Problem& problem_;
  DecodedInputs inputs_;
  const Numerics& numerics_;
  ElementBounds query_;
  SharedSums key_, value_;
  std::optional<SharedSums> bias_, sink_;
  Extents bias_extents_{};
};

}  // namespace

ElementBounds query_gradient_bounds(const Problem& problem, const Inputs& inputs, const Numerics& numerics) {
  require(problem.backward, "gradients are bounded for problems with a backward pass");
  return in_default_floating_point([&] { return Walk(problem, inputs, numerics).query_bounds(); });
}

GradientBounds gradient_bounds(const Problem& problem, const Inputs& inputs, const Numerics& numerics) {
  require(problem.backward, "gradients are bounded for problems with a backward pass");
  return in_default_floating_point([&] { return Walk(problem, inputs, numerics).bounds(); });
}

}  // namespace attestone
