// SPDX-License-Identifier: Apache-2.0
// Plain attention, head by head, rounded where the recipe says so.
#include "conformance/rival_rules/rules/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "conformance/rival_rules/rules/baseline_matrix.hpp"
#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"

namespace attestone::inline conformance {
namespace {

constexpr float hidden = -std::numeric_limits<float>::infinity();

/// By what queries, keys and their products are multiplied.
struct Factors {
  float query = 1, key = 1, scores = 1;

  Factors(double scale, Recipe::Scales scales) {
    const double root = std::sqrt(std::abs(scale));
    if (scales == Recipe::Scales::scores) scores = static_cast<float>(scale);
    if (scales == Recipe::Scales::key) key = static_cast<float>(scale);
    if (scales != Recipe::Scales::query_and_key) return;
    query = static_cast<float>(std::copysign(root, scale));
    key = static_cast<float>(root);
  }
};

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
        factors_(problem.scale(), recipe.scales),
        Q_(inputs.query.view(), batch, head),
        K_(inputs.key.view(), batch, problem.shape.kv_head(head)),
        V_(inputs.value.view(), batch, problem.shape.kv_head(head)),
        P_(problem.shape.queries, problem.shape.keys),
        D_(P_),
        slope_(P_),
        O_(problem.shape.queries, problem.shape.value_dim),
        log_sum_exp_(problem.shape.queries, 1) {
    if (recipe.absolute_values) V_ = std::move(V_).each([](float v) { return std::abs(v); });
    P_ = scores(static_cast<float>(problem.scale()));
    for (index i = 0; i < P_.rows(); ++i) log_sum_exp_.at(i, 0) = weigh(i);
    if (recipe.scales != Recipe::Scales::scores) {
      Q_ = std::move(Q_).each([&](float q) { return step(q * factors_.query); });
      K_ = std::move(K_).each([&](float k) { return step(k * factors_.key); });
      P_ = scores(factors_.scores);
      for (index i = 0; i < P_.rows(); ++i) weigh(i);
    }
    drop();
    O_ = (D_ * V_).each([&](float o) { return stored(o); });
  }

  const BaselineMatrix& out() const { return O_; }
  const BaselineMatrix& log_sum_exp() const { return log_sum_exp_; }

  struct HeadGradients {
    BaselineMatrix query, key, value;
  };
  HeadGradients gradients() const {
    const BaselineMatrix dO(inputs_.dout->view(), batch_, head_);
    BaselineMatrix dS = score_gradients(dO);
    return {(dS * K_).each([&](float x) { return stored(step(x) * factors_.query); }),
            (dS.transposed() * Q_).each([&](float x) { return stored(step(x) * factors_.key); }),
            (D_.transposed() * dO).each([&](float x) { return stored(x); })};
  }

 private:
  float fl(float x) const { return static_cast<float>(problem_.input.round(x)); }
  /// An operand or result of a matrix product, rounded as the recipe says.
  float product(float x) const { return recipe_.rounds == Recipe::Rounds::nothing ? x : fl(x); }
  /// The result of an elementwise step, rounded as the recipe says.
  float step(float x) const { return recipe_.rounds == Recipe::Rounds::everything ? fl(x) : x; }
  float stored(float x) const { return static_cast<float>(problem_.output.round(product(x))); }

  /// From q.k, times `factor`, to S; and the slopes of the cap.
  BaselineMatrix scores(float factor) {
    BaselineMatrix S = (Q_ * K_.transposed()).each([&](float s) { return product(s); });
    const Bias bias(problem_, inputs_);
    const std::optional<double> cap = problem_.score.softcap();
    Pair at{batch_, head_, 0, 0};
    for (at.query = 0; at.query < S.rows(); ++at.query)
      for (at.key = 0; at.key < S.columns(); ++at.key) {
        float& s = S.at(at.query, at.key);
        s = step(s * factor);
        const float c = static_cast<float>(cap.value_or(1)), t = cap ? std::tanh(s / c) : 0;
        slope_.at(at.query, at.key) = 1 - t * t;
        if (cap) s = step(c * t);
        if (bias) s = step(s + static_cast<float>(bias.of(at)));
        if (!problem_.visible(at)) s = hidden;
      }
    return S;
  }

  /// From S to P in f32, rounded once; and the log_sum_exp of the row.
  float weigh(index query) {
    const std::span<float> row = P_.row(query);
    const float sink = inputs_.sink ? static_cast<float>(inputs_.sink->view().value(0, head_, 0, 0)) : hidden;
    float largest = sink, sum = 0;
    for (const float s : row) largest = std::max(largest, s);
    if (largest == hidden) {
      std::ranges::fill(row, 0.0f);
      return hidden;
    }
    for (float& s : row) sum += s = s == hidden ? 0 : std::exp(s - largest);
    sum += sink == hidden ? 0 : std::exp(sink - largest);
    for (float& s : row) s = product(s / sum);
    return largest + std::log(sum);
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

  /// dS = P (dP - delta), then back through the cap and the factor of the scores.
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
        ds = product(ds * factors_.scores);
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
  Factors factors_;
  BaselineMatrix Q_, K_, V_, P_, D_, slope_, O_, log_sum_exp_;
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
  AnswerValues answer{{TensorName::out, {}}, {TensorName::log_sum_exp, {}}};
  for (index b = 0; b < s.batch; ++b)
    for (index kv = 0; kv < s.kv_heads; ++kv) {
      BaselineMatrix dK(s.keys, s.dim), dV(s.keys, s.value_dim);
      for (index h = kv * group; h < (kv + 1) * group; ++h) {
        const HeadBaseline head(problem, inputs, recipe, b, h);
        append(answer[TensorName::out], head.out());
        append(answer[TensorName::log_sum_exp], head.log_sum_exp());
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

}  // namespace attestone::inline conformance
