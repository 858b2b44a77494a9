// SPDX-License-Identifier: Apache-2.0
// Row by row: weights, dP, delta, dS, and what they add to each gradient.
#include "tests/reference/error_bound/exact_gradients.hpp"

#include <algorithm>
#include <cmath>

#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"

namespace attestone::emulation {
namespace {

using Real = long double;

RealTensor decoded(const Tensor& tensor) {
  const ConstView view = tensor.view();
  const auto [batches, heads, rows, channels] = view.extents();
  RealTensor all(view.extents());
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < channels; ++c) all.at(b, h, r, c) = static_cast<Real>(view.value(b, h, r, c));
  return all;
}

/// The inputs, decoded once.
struct RealInputs {
  explicit RealInputs(const Problem& problem, const Inputs& inputs)
      : query(decoded(inputs.query)),
        key(decoded(inputs.key)),
        value(decoded(inputs.value)),
        dout(decoded(*inputs.dout)),
        bias(problem, inputs),
        dropout(problem) {
    if (inputs.sink) sink = decoded(*inputs.sink);
  }
  RealTensor query, key, value, dout;
  std::optional<RealTensor> sink;
  Bias bias;
  Dropout dropout;
};

Real dot(const RealTensor& x, index bx, index hx, index rx, const RealTensor& y, index by, index hy, index ry) {
  Real sum = 0;
  for (index c = 0; c < x.extents[3]; ++c) sum += x.at(bx, hx, rx, c) * y.at(by, hy, ry, c);
  return sum;
}

struct ExactPair {
  index key;
  Real score, derivative, keep, dp, weight = 0;
};

class ExactBackwardRow {
 public:
  ExactBackwardRow(const Problem& problem, const RealInputs& inputs, index b, index h, index i)
      : problem_(problem), inputs_(inputs), b_(b), h_(h), i_(i), g_(problem.shape.kv_head(h)) {
    for (index j = 0; j < problem.shape.keys; ++j)
      if (problem.visible({b, h, i, j}) && std::isfinite(inputs.bias.of({b, h, i, j}))) add(j);
    normalise();
  }

  void add_to(ExactGradients& all) const {
    const Real scale = problem_.scale();
    for (const ExactPair& pair : pairs_) {
      const Real plain = pair.weight * (pair.dp - delta_), ds = scale * plain * pair.derivative;
      for (index c = 0; c < problem_.shape.dim; ++c) {
        all.query.at(b_, h_, i_, c) += ds * inputs_.key.at(b_, g_, pair.key, c);
        all.key.at(b_, g_, pair.key, c) += ds * inputs_.query.at(b_, h_, i_, c);
      }
      for (index c = 0; c < problem_.shape.value_dim; ++c)
        all.value.at(b_, g_, pair.key, c) += pair.keep * pair.weight * inputs_.dout.at(b_, h_, i_, c);
      if (all.bias) bias_element(*all.bias, pair.key) += plain;
    }
    if (all.sink) all.sink->at(0, h_, 0, 0) -= sink_weight_ * delta_;
  }

 private:
  void add(index j) {
    ExactPair pair{.key = j, .score = 0, .derivative = 1, .keep = 1, .dp = 0};
    pair.score = static_cast<Real>(problem_.scale()) * dot(inputs_.query, b_, h_, i_, inputs_.key, b_, g_, j);
    if (const auto cap = problem_.score.softcap()) {
      const Real t = std::tanh(pair.score / *cap);
      pair.score = *cap * t;
      pair.derivative = 1 - t * t;
    }
    pair.score += inputs_.bias.of({b_, h_, i_, j});
    const Dropout dropout(problem_);
    if (dropout) pair.keep = dropout.keeps({b_, h_, i_, j}) ? 1 / (1 - static_cast<Real>(problem_.dropout)) : Real{0};
    pair.dp = pair.keep * dot(inputs_.dout, b_, h_, i_, inputs_.value, b_, g_, j);
    pairs_.push_back(pair);
  }

  void normalise() {
    if (pairs_.empty()) return;
    const Real sink = inputs_.sink ? inputs_.sink->at(0, h_, 0, 0) : -HUGE_VALL;
    Real largest = sink, denominator = 0;
    for (const ExactPair& pair : pairs_) largest = std::max(largest, pair.score);
    for (ExactPair& pair : pairs_) denominator += pair.weight = std::exp(pair.score - largest);
    sink_weight_ = std::exp(sink - largest);
    denominator += sink_weight_;
    sink_weight_ /= denominator;
    for (ExactPair& pair : pairs_) {
      pair.weight /= denominator;
      delta_ += pair.weight * pair.dp;
    }
  }

  Real& bias_element(RealTensor& bias, index key) const {
    const auto place = [](index extent, index at) { return extent == 1 ? 0 : at; };
    const Extents& e = bias.extents;
    return bias.at(place(e[0], b_), place(e[1], h_), place(e[2], i_), place(e[3], key));
  }

  const Problem& problem_;
  const RealInputs& inputs_;
  index b_, h_, i_, g_;
  std::vector<ExactPair> pairs_;
  Real delta_ = 0, sink_weight_ = 0;
};

}  // namespace

ExactGradients::ExactGradients(const Problem& problem, const Inputs& inputs)
    : query(inputs.query.view().extents()), key(inputs.key.view().extents()), value(inputs.value.view().extents()) {
  if (inputs.bias) bias.emplace(inputs.bias->view().extents());
  if (inputs.sink) sink.emplace(inputs.sink->view().extents());
  const RealInputs real(problem, inputs);
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index i = 0; i < problem.shape.queries; ++i) ExactBackwardRow(problem, real, b, h, i).add_to(*this);
}

}  // namespace attestone::emulation
