// SPDX-License-Identifier: Apache-2.0
// The emulated kernels: online softmax over tiles in single precision.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"
#include "tests/reference/error_bound/emulated_arithmetic.hpp"

namespace attestone::emulation {
namespace {

/// Scores as the exponential sees them: natural, or unscaled where base_two will scale them in the exponent.
double score_of(const Problem& problem, const Recipe& recipe, const Arithmetic& kernel, double product, double bias) {
  const bool plain = problem.score.terms().empty();
  if (recipe.base_two && plain) return product;
  double s = kernel.once(product * kernel.once(problem.scale()));
  if (const auto cap = problem.score.softcap()) {
    const double absolute = s == 0 ? 0 : recipe.tanh_absolute_error;
    const double t = kernel.once(std::tanh(kernel.once(s / *cap)) * (1 + recipe.tanh_error) + absolute);
    s = kernel.once(t * *cap);
  }
  if (problem.score.has_bias()) s = kernel.once(s + kernel.once(bias));
  return s;
}

/// One row on its way through the kernel: scores, weights, sums, quotient.
class Evaluation {
 public:
  Evaluation(const Problem& problem, const Inputs& inputs, const Numerics& numerics, const Recipe& recipe)
      : problem_(problem),
        inputs_(inputs),
        bias_(problem, inputs),
        dropout_(problem),
        recipe_(recipe),
        kernel_(problem, numerics, recipe),
        base_two_(recipe.base_two && problem.score.terms().empty()),
        scale_(kernel_.once(problem.scale())),
        factor_(kernel_.once(scale_ * kernel_.once(std::numbers::log2e))),
        dropout_factor_(kernel_.once(1 / kernel_.once(1 - kernel_.once(problem.dropout)))),
        values_(static_cast<std::size_t>(problem.shape.value_dim)),
        sums_(values_.size(), 0.0) {}

  Row row(index batch, index head, index query) {
    read(batch, head, query, {});
    if (scores_.empty()) return {sums_, sums_, sink_ ? kernel_.once(*sink_) : hidden};
    attend();
    Row row;
    for (const double sum : sums_) row.accumulated.push_back(answer_of(sum));
    for (const double sum : row.accumulated) row.out.push_back(problem_.output.round(sum));
    row.log_sum_exp = kernel_.once(natural_maximum() + kernel_.once(std::log(denominator_)));
    return row;
  }

  PartState part(index batch, index head, index query, const PartOf& which) {
    read(batch, head, query, which);
    if (!which.sink) sink_.reset();
    if (scores_.empty() && !sink_) return {hidden, hidden, 0, sums_};
    known_maximum_ = which.maximum;
    if (scores_.empty()) {
      const double logit = kernel_.once(*sink_), m = known_maximum_.value_or(logit);
      return {m, m, kernel_.exp(kernel_.once(logit - m), 0, 0), sums_};
    }
    attend();
    return {natural_maximum(), maximum_, denominator_, sums_};
  }

 private:
  static constexpr double hidden = -std::numeric_limits<double>::infinity();

  void attend() {
    if (recipe_.normalise)
      sum_normalised_weights();
    else
      visit_tiles();
  }

  double natural_maximum() const { return base_two_ ? kernel_.once(maximum_ * scale_) : maximum_; }

  void read(index batch, index head, index query, const PartOf& which) {
    const index kv_head = problem_.shape.kv_head(head);
    const std::vector<double> q = kernel_.row(inputs_.query.view(), batch, head, query);
    std::vector<index> keys;
    for (index key = 0; key < problem_.shape.keys; ++key)
      if (problem_.visible({batch, head, query, key}) && std::isfinite(bias_.of({batch, head, query, key})) &&
          (which.keys.empty() || which.keys[static_cast<std::size_t>(key)]))
        keys.push_back(key);
    if (inputs_.sink) sink_ = kernel_.flushed(inputs_.sink->view().value(0, head, 0, 0));
    keys.resize(keys.size() - static_cast<std::size_t>(recipe_.forgotten_keys));
    for (const index key : keys) {
      const std::vector<double> k = kernel_.row(inputs_.key.view(), batch, kv_head, key);
      const std::vector<double> v = kernel_.row(inputs_.value.view(), batch, kv_head, key);
      const double product = kernel_.sum_of_products(0, q, k);
      scores_.push_back(score_of(problem_, recipe_, kernel_, product, bias_.of({batch, head, query, key})));
      kept_.push_back(!dropout_ || dropout_.keeps({batch, head, query, key}));
      const bool scaled = dropout_ && recipe_.dropout_at == DropoutAt::values;
      for (std::size_t c = 0; c < values_.size(); ++c)
        values_[c].push_back(scaled ? kernel_.once(v[c] * dropout_factor_) : v[c]);
    }
  }

  /// exp(s - m), or exp2 of the fused multiply-add with the rounded m * factor.
  double exp_below_maximum(std::size_t key) const {
    const double s = scores_[key], first_channel = values_[0][key];
    if (!base_two_) return kernel_.exp(kernel_.once(s - maximum_), key, first_channel);
    const double exponent = std::fmaf(static_cast<float>(s), static_cast<float>(factor_),
                                      static_cast<float>(-kernel_.once(maximum_ * factor_)));
    return kernel_.exp(exponent * std::numbers::ln2, key, first_channel);
  }

  void raise_maximum(double raised) {
    const double difference = kernel_.once(maximum_ - raised);
    const double old_weight =
        kernel_.exp(base_two_ ? kernel_.once(difference * factor_) * std::numbers::ln2 : difference, 0, 0);
    denominator_ = kernel_.once(denominator_ * old_weight);
    if (recipe_.renormalise) return;
    for (double& sum : sums_) sum = kernel_.once(sum * old_weight);
  }

  /// Makes quotients sums again, by the denominator of the tiles before; and sums quotients.
  void multiply_again() {
    for (double& sum : sums_) sum = kernel_.once(sum * denominator_);
  }
  void divide_again() {
    for (double& sum : sums_) sum = quotient(sum);
  }

  void visit_tiles() {
    const std::size_t n = scores_.size(), tile = recipe_.tile == 0 ? n : static_cast<std::size_t>(recipe_.tile);
    const std::size_t tiles = (n + tile - 1) / tile;
    for (std::size_t visit = 0; visit < tiles; ++visit) {
      const std::size_t t = recipe_.descending ? tiles - 1 - visit : visit;
      visit_tile(t * tile, std::min((t + 1) * tile, n), visit == 0);
    }
    if (sink_ && recipe_.sink_at != SinkAt::first) add_sink();
  }

  void add_sink() {
    if (recipe_.sink_at == SinkAt::last && *sink_ > maximum_) {
      raise_maximum(*sink_);
      maximum_ = *sink_;
    }
    if (recipe_.renormalise) multiply_again();
    denominator_ = kernel_.once(denominator_ + kernel_.exp(kernel_.once(*sink_ - maximum_), 0, 0));
    if (recipe_.renormalise) divide_again();
  }

  /// The factor of the values: a weight that is dropped, scaled and cast.
  double weight_of_value(double weight, std::size_t key) const {
    if (!kept_[key]) return 0;
    const bool scaled = dropout_ && recipe_.dropout_at == DropoutAt::weights;
    return kernel_.cast(scaled ? kernel_.once(weight * dropout_factor_) : weight);
  }

  void visit_tile(std::size_t from, std::size_t to, bool first) {
    if (first && sink_ && recipe_.sink_at == SinkAt::first) {
      maximum_ = *sink_;
      denominator_ = 1;
      first = false;
    }
    double largest = known_maximum_.value_or(scores_[from]);
    for (std::size_t j = from; j < to; ++j) largest = std::max(largest, scores_[j]);
    if (!first && largest > maximum_) raise_maximum(largest);
    maximum_ = first ? largest : std::max(maximum_, largest);
    if (recipe_.renormalise) multiply_again();
    std::vector<double> summed, cast;
    for (std::size_t j = from; j < to; ++j) {
      const double weight = exp_below_maximum(j);
      summed.push_back(recipe_.sum_cast_weights ? kernel_.cast(weight) : weight);
      cast.push_back(weight_of_value(summed.back(), j));
    }
    denominator_ = kernel_.sum_of_products(denominator_, summed, std::vector<double>(to - from, 1.0));
    for (std::size_t c = 0; c < values_.size(); ++c) {
      const double* v = values_[c].data();
      sums_[c] = kernel_.sum_of_products(sums_[c], cast, std::vector<double>(v + from, v + to));
    }
    if (recipe_.renormalise) divide_again();
  }

  void sum_normalised_weights() {
    maximum_ = *std::max_element(scores_.begin(), scores_.end());
    if (sink_) maximum_ = std::max(maximum_, *sink_);
    std::vector<double> weights;
    for (std::size_t j = 0; j < scores_.size(); ++j) weights.push_back(exp_below_maximum(j));
    denominator_ = kernel_.sum_of_products(0, weights, std::vector<double>(weights.size(), 1.0));
    if (sink_) add_sink();
    for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = weight_of_value(quotient(weights[j]), j);
    for (std::size_t c = 0; c < values_.size(); ++c) sums_[c] = kernel_.sum_of_products(0, weights, values_[c]);
  }

  double answer_of(double sum) const {
    const double answer = recipe_.normalise || recipe_.renormalise ? sum : quotient(sum);
    return dropout_ && recipe_.dropout_at == DropoutAt::answer ? kernel_.once(answer * dropout_factor_) : answer;
  }

  double quotient(double x) const {
    return recipe_.reciprocal ? kernel_.once(x * kernel_.once(1 / denominator_)) : kernel_.once(x / denominator_);
  }

  const Problem& problem_;
  const Inputs& inputs_;
  Bias bias_;
  Dropout dropout_;
  const Recipe& recipe_;
  const Arithmetic kernel_;
  bool base_two_;
  double scale_, factor_, dropout_factor_;
  std::vector<double> scores_;
  std::vector<bool> kept_;
  std::optional<double> sink_, known_maximum_;
  std::vector<std::vector<double>> values_;  ///< [channel][key]
  double maximum_ = 0, denominator_ = 0;
  std::vector<double> sums_;
};

}  // namespace

Row answer(const Problem& problem, const Inputs& inputs, const Numerics& numerics, const Recipe& recipe, index batch,
           index head, index query) {
  return Evaluation(problem, inputs, numerics, recipe).row(batch, head, query);
}

PartState attend_to_part(const Problem& problem, const Inputs& inputs, const Numerics& numerics, const Recipe& recipe,
                         index batch, index head, index query, const PartOf& which) {
  return Evaluation(problem, inputs, numerics, recipe).part(batch, head, query, which);
}

}  // namespace attestone::emulation
