// SPDX-License-Identifier: Apache-2.0
// Row by row: weights, dP, delta, dS, and what they add to each gradient.
#include "tests/reference/error_bound/exact_gradients.hpp"

#include <algorithm>
#include <cmath>

#include "reference/bias.hpp"
#include "reference/dropout.hpp"

namespace attestone::emulation {
namespace {

using Real = long double;

Real element(const Tensor& tensor, index b, index h, index r, index c) {
  return static_cast<Real>(tensor.view().value(b, h, r, c));
}

Real dot(const Tensor& x, index bx, index hx, index rx, const Tensor& y, index by, index hy, index ry) {
  Real sum = 0;
  for (index c = 0; c < x.view().extents()[3]; ++c) sum += element(x, bx, hx, rx, c) * element(y, by, hy, ry, c);
  return sum;
}

struct ExactPair {
  index key;
  Real score, derivative, keep, dp, weight = 0;
};

class ExactBackwardRow {
 public:
  ExactBackwardRow(const Problem& problem, const Inputs& inputs, index b, index h, index i)
      : problem_(problem), inputs_(inputs), b_(b), h_(h), i_(i), g_(problem.shape.kv_head(h)) {
    const Bias bias(problem, inputs);
    for (index j = 0; j < problem.shape.keys; ++j)
      if (problem.visible({b, h, i, j}) && std::isfinite(bias.of({b, h, i, j}))) add(bias, j);
    normalise();
  }

  void add_to(ExactGradients& all) const {
    const Real scale = problem_.scale();
    for (const ExactPair& pair : pairs_) {
      const Real plain = pair.weight * (pair.dp - delta_), ds = scale * plain * pair.derivative;
      for (index c = 0; c < problem_.shape.dim; ++c) {
        all.query.at(b_, h_, i_, c) += ds * element(inputs_.key, b_, g_, pair.key, c);
        all.key.at(b_, g_, pair.key, c) += ds * element(inputs_.query, b_, h_, i_, c);
      }
      for (index c = 0; c < problem_.shape.value_dim; ++c)
        all.value.at(b_, g_, pair.key, c) += pair.keep * pair.weight * element(*inputs_.dout, b_, h_, i_, c);
      if (all.bias) bias_element(*all.bias, pair.key) += plain;
    }
    if (all.sink) all.sink->at(0, h_, 0, 0) -= sink_weight_ * delta_;
  }

 private:
  void add(const Bias& bias, index j) {
    ExactPair pair{.key = j, .score = 0, .derivative = 1, .keep = 1, .dp = 0};
    pair.score = static_cast<Real>(problem_.scale()) * dot(inputs_.query, b_, h_, i_, inputs_.key, b_, g_, j);
    if (const auto cap = problem_.score.softcap()) {
      const Real t = std::tanh(pair.score / *cap);
      pair.score = *cap * t;
      pair.derivative = 1 - t * t;
    }
    pair.score += bias.of({b_, h_, i_, j});
    const Dropout dropout(problem_);
    if (dropout) pair.keep = dropout.keeps({b_, h_, i_, j}) ? 1 / (1 - static_cast<Real>(problem_.dropout)) : Real{0};
    pair.dp = pair.keep * dot(*inputs_.dout, b_, h_, i_, inputs_.value, b_, g_, j);
    pairs_.push_back(pair);
  }

  void normalise() {
    if (pairs_.empty()) return;
    const Real sink = inputs_.sink ? element(*inputs_.sink, 0, h_, 0, 0) : -HUGE_VALL;
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

  Real& bias_element(ExactGradient& bias, index key) const {
    const auto place = [](index extent, index at) { return extent == 1 ? 0 : at; };
    const Extents& e = bias.extents;
    return bias.at(place(e[0], b_), place(e[1], h_), place(e[2], i_), place(e[3], key));
  }

  const Problem& problem_;
  const Inputs& inputs_;
  index b_, h_, i_, g_;
  std::vector<ExactPair> pairs_;
  Real delta_ = 0, sink_weight_ = 0;
};

}  // namespace

ExactGradients::ExactGradients(const Problem& problem, const Inputs& inputs)
    : query(inputs.query.view().extents()), key(inputs.key.view().extents()), value(inputs.value.view().extents()) {
  if (inputs.bias) bias.emplace(inputs.bias->view().extents());
  if (inputs.sink) sink.emplace(inputs.sink->view().extents());
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index i = 0; i < problem.shape.queries; ++i) ExactBackwardRow(problem, inputs, b, h, i).add_to(*this);
}

}  // namespace attestone::emulation
