// SPDX-License-Identifier: Apache-2.0
// Plain attention, rounded after every step.
#include "conformance/judges/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/bias.hpp"

namespace attestone {
namespace {

constexpr double hidden = -std::numeric_limits<double>::infinity();

/// Rounds to the input format of the problem.
class Baseline {
 public:
  Baseline(const Problem& problem, const Inputs& inputs)
      : problem_(problem),
        bias_(problem, inputs),
        query_(inputs.query.view()),
        key_(inputs.key.view()),
        value_(inputs.value.view()) {}

  /// The scores of one row, -infinity where nothing is visible.
  std::vector<double> scores(index b, index h, index i) const {
    std::vector<double> scores;
    for (index j = 0; j < problem_.shape.keys; ++j)
      scores.push_back(problem_.visible({b, h, i, j}) ? score({b, h, i, j}) : hidden);
    return scores;
  }

  /// softmax in f32, rounded once; all 0 for an empty row.
  std::vector<double> weights(const std::vector<double>& scores) const {
    std::vector<double> weights(scores.size(), 0);
    const double largest = scores.empty() ? hidden : *std::max_element(scores.begin(), scores.end());
    if (largest == hidden) return weights;
    float sum = 0;
    for (const double s : scores) sum += std::exp(static_cast<float>(s - largest));
    for (std::size_t j = 0; j < scores.size(); ++j)
      weights[j] = fl(std::exp(static_cast<float>(scores[j] - largest)) / sum);
    return weights;
  }

  double output(index b, index h, index c, const std::vector<double>& weights) const {
    float sum = 0;
    for (index j = 0; j < problem_.shape.keys; ++j) {
      const double p = weights[static_cast<std::size_t>(j)];
      if (p != 0) sum += static_cast<float>(p * value_.value(b, problem_.shape.kv_head(h), j, c));
    }
    return problem_.output.round(fl(sum));
  }

 private:
  double fl(double x) const { return problem_.input.round(x); }

  double score(const Pair& at) const {
    float sum = 0;
    for (index d = 0; d < problem_.shape.dim; ++d) {
      const double k = fl(key_.value(at.batch, problem_.shape.kv_head(at.head), at.key, d) * problem_.scale());
      sum += static_cast<float>(query_.value(at.batch, at.head, at.query, d) * k);
    }
    double score = fl(sum);
    if (const auto cap = problem_.score.softcap()) score = fl(*cap * std::tanh(score / *cap));
    if (bias_) score = fl(score + bias_.of(at));
    return score;
  }

  const Problem& problem_;
  Bias bias_;
  ConstView query_, key_, value_;
};

}  // namespace

std::vector<double> low_precision_baseline(const Problem& problem, const Inputs& inputs) {
  const Baseline baseline(problem, inputs);
  std::vector<double> all;
  for (index b = 0; b < problem.shape.batch; ++b)
    for (index h = 0; h < problem.shape.heads; ++h)
      for (index i = 0; i < problem.shape.queries; ++i) {
        const std::vector<double> weights = baseline.weights(baseline.scores(b, h, i));
        for (index c = 0; c < problem.shape.value_dim; ++c) all.push_back(baseline.output(b, h, c, weights));
      }
  return all;
}

}  // namespace attestone
