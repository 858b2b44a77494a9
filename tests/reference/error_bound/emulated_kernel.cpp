// SPDX-License-Identifier: Apache-2.0
// The emulated kernels: online softmax over tiles in single precision.

#include "tests/reference/error_bound/emulated_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "reference/bias.hpp"

namespace attestone::emulation {
namespace {

const DType& f32() { return dtype("f32"); }

/// The operations of the recipe.
class Kernel {
 public:
  Kernel(const Problem& problem, const Numerics& numerics, const Recipe& recipe)
      : problem_(problem), numerics_(numerics), recipe_(recipe) {}

  double flushed(double x) const { return recipe_.flush && std::abs(x) < f32().smallest_normal() ? 0 : x; }
  /// One operation of the accumulator.
  double once(double x) const {
    const double narrow =
        recipe_.all_in.empty() ? static_cast<double>(static_cast<float>(x)) : dtype(recipe_.all_in).round(x);
    return flushed(narrow);
  }

  /// start + sum x y, in the order and rounding of the recipe.
  double sum_of_products(double start, const std::vector<double>& x, const std::vector<double>& y) const {
    switch (recipe_.summation) {
      case Summation::sequential:
        for (std::size_t i = 0; i < x.size(); ++i) start = once(start + once(x[i] * y[i]));
        return start;
      case Summation::fused:
        for (std::size_t i = 0; i < x.size(); ++i) start = flushed(fused(x[i], y[i], start));
        return start;
      case Summation::eight_lanes: {
        std::vector<double> lanes(8, 0.0);
        for (std::size_t i = 0; i < x.size(); ++i) lanes[i % 8] = once(lanes[i % 8] + once(x[i] * y[i]));
        for (std::size_t width = 4; width > 0; width /= 2)
          for (std::size_t i = 0; i < width; ++i) lanes[i] = once(lanes[i] + lanes[i + width]);
        return once(start + lanes[0]);
      }
      case Summation::pairwise:
        return once(start + pairwise(x, y, 0, x.size()));
      case Summation::truncating:
        for (std::size_t i = 0; i < x.size(); i += 16)
          start = truncated_block(start, x, y, i, std::min(i + 16, x.size()));
        return start;
    }
    return start;
  }

  double exp(double x, std::size_t key, double first_channel) const {
    if (x == 0) return 1;
    double sign = 0;
    if (recipe_.exp_error == ExpError::up) sign = 1;
    if (recipe_.exp_error == ExpError::down) sign = -1;
    if (recipe_.exp_error == ExpError::alternating) sign = key % 2 ? 1 : -1;
    if (recipe_.exp_error == ExpError::against_first_channel) sign = first_channel > 0 ? 1 : -1;
    // The rounding of the result uses up u of the error that is allowed.
    const double error = std::max(0.0, numerics_.exp_error - f32().unit_roundoff());
    return once(std::exp(x) * (1 + sign * error));
  }

  double cast(double weight) const {
    if (!recipe_.cast_to.empty()) return dtype(recipe_.cast_to).round(weight);
    if (numerics_.weight_roundoff == 0) return weight;
    const double narrow = problem_.input.round(weight);
    return problem_.input.name == "bf16" ? flushed(narrow) : narrow;
  }

 private:
  double fused(double x, double y, double start) const {
    return std::fmaf(static_cast<float>(x), static_cast<float>(y), static_cast<float>(start));
  }

  double pairwise(const std::vector<double>& x, const std::vector<double>& y, std::size_t from, std::size_t to) const {
    if (to == from) return 0;
    if (to - from == 1) return once(x[from] * y[from]);
    const std::size_t middle = from + (to - from) / 2;
    return once(pairwise(x, y, from, middle) + pairwise(x, y, middle, to));
  }

  double truncated_block(double start, const std::vector<double>& x, const std::vector<double>& y, std::size_t from,
                         std::size_t to) const {
    double largest = std::abs(start);
    for (std::size_t i = from; i < to; ++i) largest = std::max(largest, std::abs(x[i] * y[i]));
    if (largest == 0) return 0;
    const double quantum = std::ldexp(1.0, std::ilogb(largest) - (f32().precision - 1));
    double sum = std::trunc(start / quantum);
    for (std::size_t i = from; i < to; ++i) sum += std::trunc(x[i] * y[i] / quantum);
    return flushed(f32().round(sum * quantum, Rounding::toward_zero));
  }

  const Problem& problem_;
  const Numerics& numerics_;
  const Recipe& recipe_;
};

std::vector<double> row_of(const ConstView& view, index batch, index head, index row, const Kernel& kernel) {
  std::vector<double> values(static_cast<std::size_t>(view.extents()[3]));
  view.read_row(batch, head, row, values);
  for (double& x : values) x = kernel.flushed(x);
  return values;
}

/// Scores as the exponential sees them: natural, or unscaled where base_two will scale them in the exponent.
double score_of(const Problem& problem, const Recipe& recipe, const Kernel& kernel, double product, double bias) {
  const bool plain = problem.score.terms().empty();
  if (recipe.base_two && plain) return product;
  double s = kernel.once(product * kernel.once(problem.scale()));
  if (const auto cap = problem.score.softcap()) {
    const double t = kernel.once(std::tanh(kernel.once(s / *cap)) * (1 + recipe.tanh_error));
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
        recipe_(recipe),
        kernel_(problem, numerics, recipe),
        base_two_(recipe.base_two && problem.score.terms().empty()),
        scale_(kernel_.once(problem.scale())),
        factor_(kernel_.once(scale_ * kernel_.once(std::numbers::log2e))),
        values_(static_cast<std::size_t>(problem.shape.value_dim)),
        sums_(values_.size(), 0.0) {}

  Row row(index batch, index head, index query) {
    read(batch, head, query);
    if (scores_.empty()) return {sums_, -std::numeric_limits<double>::infinity()};
    if (recipe_.normalise)
      sum_normalised_weights();
    else
      visit_tiles();
    Row row;
    for (const double sum : sums_) row.out.push_back(problem_.output.round(recipe_.normalise ? sum : quotient(sum)));
    const double maximum = base_two_ ? kernel_.once(maximum_ * scale_) : maximum_;
    row.log_sum_exp = kernel_.once(maximum + kernel_.once(std::log(denominator_)));
    return row;
  }

 private:
  void read(index batch, index head, index query) {
    const index kv_head = problem_.shape.kv_head(head);
    const std::vector<double> q = row_of(inputs_.query.view(), batch, head, query, kernel_);
    std::vector<index> keys;
    for (index key = 0; key < problem_.shape.keys; ++key)
      if (problem_.visible({batch, head, query, key})) keys.push_back(key);
    keys.resize(keys.size() - static_cast<std::size_t>(recipe_.forgotten_keys));
    for (const index key : keys) {
      const std::vector<double> k = row_of(inputs_.key.view(), batch, kv_head, key, kernel_);
      const std::vector<double> v = row_of(inputs_.value.view(), batch, kv_head, key, kernel_);
      const double product = kernel_.sum_of_products(0, q, k);
      scores_.push_back(score_of(problem_, recipe_, kernel_, product, bias_.of({batch, head, query, key})));
      for (std::size_t c = 0; c < values_.size(); ++c) values_[c].push_back(v[c]);
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
    for (double& sum : sums_) sum = kernel_.once(sum * old_weight);
  }

  void visit_tiles() {
    const std::size_t n = scores_.size(), tile = recipe_.tile == 0 ? n : static_cast<std::size_t>(recipe_.tile);
    const std::size_t tiles = (n + tile - 1) / tile;
    for (std::size_t visit = 0; visit < tiles; ++visit) {
      const std::size_t t = recipe_.descending ? tiles - 1 - visit : visit;
      visit_tile(t * tile, std::min((t + 1) * tile, n), visit == 0);
    }
  }

  void visit_tile(std::size_t from, std::size_t to, bool first) {
    double largest = scores_[from];
    for (std::size_t j = from; j < to; ++j) largest = std::max(largest, scores_[j]);
    if (!first && largest > maximum_) raise_maximum(largest);
    maximum_ = first ? largest : std::max(maximum_, largest);
    std::vector<double> weights, cast;
    for (std::size_t j = from; j < to; ++j) {
      weights.push_back(exp_below_maximum(j));
      cast.push_back(kernel_.cast(weights.back()));
    }
    const std::vector<double> ones(to - from, 1.0);
    denominator_ = kernel_.sum_of_products(denominator_, recipe_.sum_cast_weights ? cast : weights, ones);
    for (std::size_t c = 0; c < values_.size(); ++c) {
      const double* v = values_[c].data();
      sums_[c] = kernel_.sum_of_products(sums_[c], cast, std::vector<double>(v + from, v + to));
    }
  }

  void sum_normalised_weights() {
    maximum_ = *std::max_element(scores_.begin(), scores_.end());
    std::vector<double> weights;
    for (std::size_t j = 0; j < scores_.size(); ++j) weights.push_back(exp_below_maximum(j));
    denominator_ = kernel_.sum_of_products(0, weights, std::vector<double>(weights.size(), 1.0));
    for (double& w : weights) w = kernel_.cast(quotient(w));
    for (std::size_t c = 0; c < values_.size(); ++c) sums_[c] = kernel_.sum_of_products(0, weights, values_[c]);
  }

  double quotient(double x) const {
    return recipe_.reciprocal ? kernel_.once(x * kernel_.once(1 / denominator_)) : kernel_.once(x / denominator_);
  }

  const Problem& problem_;
  const Inputs& inputs_;
  Bias bias_;
  const Recipe& recipe_;
  const Kernel kernel_;
  bool base_two_;
  double scale_, factor_;
  std::vector<double> scores_;
  std::vector<std::vector<double>> values_;  ///< [channel][key]
  double maximum_ = 0, denominator_ = 0;
  std::vector<double> sums_;
};

}  // namespace

Row answer(const Problem& problem, const Inputs& inputs, const Numerics& numerics, const Recipe& recipe, index batch,
           index head, index query) {
  return Evaluation(problem, inputs, numerics, recipe).row(batch, head, query);
}

ExactRow exact(const Problem& problem, const Inputs& inputs, index batch, index head, index query) {
  const index kv_head = problem.shape.kv_head(head);
  const auto real = [](double x) { return static_cast<long double>(x); };
  std::vector<long double> scores;
  std::vector<index> keys;
  for (index key = 0; key < problem.shape.keys; ++key) {
    if (!problem.visible({batch, head, query, key})) continue;
    long double s = 0;
    for (index c = 0; c < problem.shape.dim; ++c)
      s += real(inputs.query.view().value(batch, head, query, c)) *
           real(inputs.key.view().value(batch, kv_head, key, c));
    s *= real(problem.scale());
    if (const auto cap = problem.score.softcap()) s = real(*cap) * std::tanh(s / real(*cap));
    s += real(Bias(problem, inputs).of({batch, head, query, key}));
    scores.push_back(s);
    keys.push_back(key);
  }
  ExactRow row{std::vector<long double>(static_cast<std::size_t>(problem.shape.value_dim), 0.0L),
               -std::numeric_limits<long double>::infinity()};
  if (keys.empty()) return row;
  const long double m = *std::max_element(scores.begin(), scores.end());
  long double denominator = 0;
  for (std::size_t j = 0; j < keys.size(); ++j) {
    const long double weight = std::exp(scores[j] - m);
    denominator += weight;
    for (std::size_t c = 0; c < row.out.size(); ++c)
      row.out[c] += weight * real(inputs.value.view().value(batch, kv_head, keys[j], static_cast<index>(c)));
  }
  for (long double& o : row.out) o /= denominator;
  row.log_sum_exp = m + std::log(denominator);
  return row;
}

}  // namespace attestone::emulation
