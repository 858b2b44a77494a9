// SPDX-License-Identifier: Apache-2.0
// Plain attention, head by head, rounded where the recipe says so.
#include "conformance/kill_matrix/judges/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/kill_matrix/judges/baseline_matrix.hpp"
#include "reference/bias.hpp"
#include "reference/dropout.hpp"

namespace attestone {
namespace {

constexpr float hidden = -std::numeric_limits<float>::infinity();

/// One query head and its gradients. Letters are those of the papers: S the scores, P the weights, D the weights after
/// dropout, all [queries, keys].
class HeadBaseline {
 public:
  HeadBaseline(const Problem& problem, const Inputs& inputs, const Recipe& recipe, index batch, index head)
      : problem_(problem),
        inputs_(inputs),
        recipe_(recipe),
        batch_(batch),
        head_(head),
        scale_(static_cast<float>(problem.scale())),
        Q_(inputs.query.view(), batch, head),
        K_(inputs.key.view(), batch, problem.shape.kv_head(head)),
        V_(inputs.value.view(), batch, problem.shape.kv_head(head)),
        P_(problem.shape.queries, problem.shape.keys),
        D_(P_),
        slope_(P_),
        O_(problem.shape.queries, problem.shape.value_dim) {
    if (recipe.scales_key) K_ = std::move(K_).each([&](float k) { return step(k * scale_); });
    if (recipe.absolute_values) V_ = std::move(V_).each([](float v) { return std::abs(v); });
    P_ = (Q_ * K_.transposed()).each([&](float s) { return product(s); });
    score();
    for (index i = 0; i < P_.rows(); ++i) weigh(i);
    drop();
    O_ = (D_ * V_).each([&](float o) { return stored(o); });
  }

  const BaselineMatrix& out() const { return O_; }

  struct HeadGradients {
    BaselineMatrix query, key, value;
  };
  HeadGradients gradients() const {
    const BaselineMatrix dO(inputs_.dout->view(), batch_, head_);
    BaselineMatrix dS = score_gradients(dO);
    const float after = recipe_.scales_key ? scale_ : 1;
    const auto store = [&](float x) { return stored(x); };
    const auto store_scaled = [&](float x) { return stored(after == 1 ? x : step(x) * after); };
    return {(dS * K_).each(store), (dS.transposed() * Q_).each(store_scaled), (D_.transposed() * dO).each(store)};
  }

 private:
  float fl(float x) const { return static_cast<float>(problem_.input.round(x)); }
  /// What a matrix product makes or takes.
  float product(float x) const { return recipe_.rounds == Recipe::Rounds::nothing ? x : fl(x); }
  /// What a step by elements makes.
  float step(float x) const { return recipe_.rounds == Recipe::Rounds::everything ? fl(x) : x; }
  float stored(float x) const { return static_cast<float>(problem_.output.round(product(x))); }

  /// From q.k to S in P_, and the slopes of the cap.
  void score() {
    const Bias bias(problem_, inputs_);
    const std::optional<double> cap = problem_.score.softcap();
    Pair at{batch_, head_, 0, 0};
    for (at.query = 0; at.query < P_.rows(); ++at.query)
      for (at.key = 0; at.key < P_.columns(); ++at.key) {
        float& s = P_.at(at.query, at.key);
        if (!recipe_.scales_key) s = step(s * scale_);
        const float c = static_cast<float>(cap.value_or(1)), t = cap ? std::tanh(s / c) : 0;
        slope_.at(at.query, at.key) = 1 - t * t;
        if (cap) s = step(c * t);
        if (bias) s = step(s + static_cast<float>(bias.of(at)));
        if (!problem_.visible(at)) s = hidden;
      }
  }

  /// From S to P in f32, rounded once.
  void weigh(index query) {
    const std::span<float> row = P_.row(query);
    const float sink = inputs_.sink ? static_cast<float>(inputs_.sink->view().value(0, head_, 0, 0)) : hidden;
    float largest = sink, sum = 0;
    for (const float s : row) largest = std::max(largest, s);
    if (largest == hidden) {
      std::ranges::fill(row, 0.0f);
      return;
    }
    for (float& s : row) sum += s = s == hidden ? 0 : std::exp(s - largest);
    sum += sink == hidden ? 0 : std::exp(sink - largest);
    for (float& s : row) s = product(s / sum);
  }

  void drop() {
    D_ = P_;
    apply_dropout(D_, [&](float x) { return product(x); });
  }

  template <class Round>
  void apply_dropout(BaselineMatrix& weights, Round round) const {
    const Dropout dropout(problem_);
    if (!dropout) return;
    const float factor = static_cast<float>(dropout.factor());
    for (index i = 0; i < weights.rows(); ++i)
      for (index j = 0; j < weights.columns(); ++j)
        weights.at(i, j) = dropout.keeps({batch_, head_, i, j}) ? round(weights.at(i, j) * factor) : 0;
  }

  /// dS = P (dP - delta), then back through the cap and, unless K was scaled, the scale.
  BaselineMatrix score_gradients(const BaselineMatrix& dO) const {
    BaselineMatrix dS = (dO * V_.transposed()).each([&](float x) { return product(x); });
    apply_dropout(dS, [&](float x) { return step(x); });
    for (index i = 0; i < dS.rows(); ++i) {
      const float delta = recipe_.delta_from_output ? dot(O_, dO, i) : dot(P_, dS, i);
      for (index j = 0; j < dS.columns(); ++j) {
        float& ds = dS.at(i, j);
        const float p = P_.at(i, j);
        ds = p == 0 ? 0 : step(p * (ds - delta));
        if (problem_.score.softcap()) ds = step(ds * slope_.at(i, j));
        ds = product(recipe_.scales_key ? ds : ds * scale_);
      }
    }
    return dS;
  }

  static float dot(const BaselineMatrix& a, const BaselineMatrix& b, index row) {
    float sum = 0;
    for (index c = 0; c < a.columns(); ++c) sum += a.at(row, c) * b.at(row, c);
    return sum;
  }

  const Problem& problem_;
  const Inputs& inputs_;
  const Recipe& recipe_;
  index batch_, head_;
  float scale_;
  BaselineMatrix Q_, K_, V_, P_, D_, slope_, O_;
};

void append(std::vector<double>& values, const BaselineMatrix& head) {
  values.insert(values.end(), head.all().begin(), head.all().end());
}

void add(BaselineMatrix& sum, const BaselineMatrix& term) {
  for (std::size_t i = 0; i < sum.all().size(); ++i) sum.all()[i] += term.all()[i];
}

}  // namespace

AnswerValues low_precision_baseline(const Problem& problem, const Inputs& inputs, const Recipe& recipe) {
  const Shape& s = problem.shape;
  const index group = s.heads / s.kv_heads;
  const auto store = [&](float x) { return static_cast<float>(problem.output.round(x)); };
  AnswerValues answer{{TensorName::out, {}}};
  for (index b = 0; b < s.batch; ++b)
    for (index kv = 0; kv < s.kv_heads; ++kv) {
      BaselineMatrix dK(s.keys, s.dim), dV(s.keys, s.value_dim);
      for (index h = kv * group; h < (kv + 1) * group; ++h) {
        const HeadBaseline head(problem, inputs, recipe, b, h);
        append(answer[TensorName::out], head.out());
        if (!problem.backward) continue;
        const auto gradients = head.gradients();
        append(answer[TensorName::dquery], gradients.query);
        add(dK, gradients.key), add(dV, gradients.value);
      }
      if (!problem.backward) continue;
      append(answer[TensorName::dkey], std::move(dK).each(store));
      append(answer[TensorName::dvalue], std::move(dV).each(store));
    }
  return answer;
}

}  // namespace attestone
