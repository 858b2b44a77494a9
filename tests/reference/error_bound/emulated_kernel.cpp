// SPDX-License-Identifier: Apache-2.0
// The emulated kernels: online softmax over tiles in single precision.
#include "tests/reference/error_bound/emulated_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace attestone::emulation {
namespace {

const DType& f32() { return dtype("f32"); }

/// One row under evaluation.
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
double score_of(const Problem& problem, const Recipe& recipe, const Kernel& kernel, double product, const Pair& pair) {
  const bool plain = problem.score.terms().empty();
  if (recipe.base_two && plain) return product;
  double s = kernel.once(product * kernel.once(problem.scale()));
  if (const auto cap = problem.score.softcap()) {
    const double t = kernel.once(std::tanh(kernel.once(s / *cap)) * (1 + recipe.tanh_error));
    s = kernel.once(t * *cap);
  }
  if (problem.score.has_bias())
    s = kernel.once(s + kernel.once(problem.score.bias(problem.shape, problem.sequence(pair.batch), pair)));
  return s;
}

}  // namespace

Row answer(const Problem& problem, const Inputs& inputs, const Numerics& numerics, const Recipe& recipe, index batch,
           index head, index query) {
  const Kernel kernel(problem, numerics, recipe);
  const index kv_head = problem.shape.kv_head(head);
  const bool base_two = recipe.base_two && problem.score.terms().empty();
  const double scale = kernel.once(problem.scale());
  const double factor = kernel.once(scale * kernel.once(std::numbers::log2e));
  const auto channels = static_cast<std::size_t>(problem.shape.value_dim);

  const std::vector<double> q = row_of(inputs.query.view(), batch, head, query, kernel);
  std::vector<index> keys;
  for (index key = 0; key < problem.shape.keys; ++key)
    if (problem.visible({batch, head, query, key})) keys.push_back(key);
  keys.resize(keys.size() - static_cast<std::size_t>(recipe.forgotten_keys));
  std::vector<std::vector<double>> values(channels);
  std::vector<double> scores;
  for (const index key : keys) {
    const std::vector<double> k = row_of(inputs.key.view(), batch, kv_head, key, kernel);
    const std::vector<double> v = row_of(inputs.value.view(), batch, kv_head, key, kernel);
    scores.push_back(score_of(problem, recipe, kernel, kernel.sum_of_products(0, q, k), {batch, head, query, key}));
    for (std::size_t c = 0; c < channels; ++c) values[c].push_back(v[c]);
  }
  if (keys.empty()) return {std::vector<double>(channels, 0), -std::numeric_limits<double>::infinity()};

  // exp(s - m), or exp2 of the fused multiply-add with the rounded m * factor.
  const auto exp_below = [&](double s, double m, std::size_t key) {
    const double first = values.empty() ? 0 : values[0][key];
    if (!base_two) return kernel.exp(kernel.once(s - m), key, first);
    const double exponent =
        std::fmaf(static_cast<float>(s), static_cast<float>(factor), static_cast<float>(-kernel.once(m * factor)));
    return kernel.exp(exponent * std::numbers::ln2, key, first);
  };
  const auto rescaling = [&](double old_maximum, double m) {
    const double difference = kernel.once(old_maximum - m);
    return base_two ? kernel.exp(kernel.once(difference * factor) * std::numbers::ln2, 0, 0)
                    : kernel.exp(difference, 0, 0);
  };

  double m = -std::numeric_limits<double>::infinity(), denominator = 0;
  std::vector<double> sums(channels, 0.0);
  const std::size_t n = keys.size(), tile = recipe.tile == 0 ? n : static_cast<std::size_t>(recipe.tile);
  if (recipe.normalise) m = *std::max_element(scores.begin(), scores.end());
  std::vector<double> normalised;
  if (recipe.normalise) {
    std::vector<double> weights, ones(n, 1.0);
    for (std::size_t j = 0; j < n; ++j) weights.push_back(exp_below(scores[j], m, j));
    denominator = kernel.sum_of_products(0, weights, ones);
    for (const double w : weights) normalised.push_back(kernel.cast(kernel.once(w / denominator)));
    for (std::size_t c = 0; c < channels; ++c) sums[c] = kernel.sum_of_products(0, normalised, values[c]);
  } else {
    const std::size_t tiles = (n + tile - 1) / tile;
    for (std::size_t visit = 0; visit < tiles; ++visit) {
      const std::size_t t = recipe.descending ? tiles - 1 - visit : visit;
      const std::size_t from = t * tile, to = std::min(from + tile, n);
      const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(from);
      const double raised = std::max(m, *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(to - from)));
      if (visit > 0 && raised > m) {
        const double factor_of_old = rescaling(m, raised);
        denominator = kernel.once(denominator * factor_of_old);
        for (double& sum : sums) sum = kernel.once(sum * factor_of_old);
      }
      m = raised;
      std::vector<double> weights, cast, ones(to - from, 1.0);
      for (std::size_t j = from; j < to; ++j) weights.push_back(exp_below(scores[j], m, j));
      for (const double w : weights) cast.push_back(kernel.cast(w));
      denominator = kernel.sum_of_products(denominator, recipe.sum_cast_weights ? cast : weights, ones);
      for (std::size_t c = 0; c < channels; ++c) {
        const auto first = values[c].begin() + static_cast<std::ptrdiff_t>(from);
        sums[c] = kernel.sum_of_products(sums[c], cast,
                                         std::vector<double>(first, first + static_cast<std::ptrdiff_t>(to - from)));
      }
    }
  }

  Row row;
  for (const double sum : sums) {
    double quotient = sum;
    if (!recipe.normalise)
      quotient = recipe.reciprocal ? kernel.once(sum * kernel.once(1 / denominator)) : kernel.once(sum / denominator);
    row.out.push_back(problem.output.round(quotient));
  }
  const double maximum = base_two ? kernel.once(m * scale) : m;
  row.log_sum_exp = kernel.once(maximum + kernel.once(std::log(denominator)));
  return row;
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
    s += real(problem.score.bias(problem.shape, problem.sequence(batch), {batch, head, query, key}));
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
