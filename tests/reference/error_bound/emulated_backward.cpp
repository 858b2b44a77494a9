// SPDX-License-Identifier: Apache-2.0
// The emulated backward passes: every pair's dS and weight first, then sums along rows and along keys.
#include "tests/reference/error_bound/emulated_backward.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/call/bias.hpp"
#include "reference/call/dropout.hpp"
#include "tests/reference/error_bound/emulated_arithmetic.hpp"

namespace attestone::emulation {
namespace {

/// The contributions of one pair to the sums.
struct SentPair {
  double score_gradient = 0, bias_gradient = 0, weight = 0;
};

class BackwardPass {
  using Rows = std::vector<std::vector<double>>;

 public:
  BackwardPass(const Problem& problem, const Inputs& inputs, const Numerics& numerics, const BackwardRecipe& recipe)
      : problem_(problem),
        inputs_(inputs),
        numerics_(numerics),
        recipe_(recipe),
        own_(recipe.forward),
        kernel_(problem, numerics, own_),
        bias_(problem, inputs),
        dropout_(problem),
        scale_(kernel_.once(problem.scale())),
        dropout_factor_(kernel_.once(1 / kernel_.once(1 - kernel_.once(problem.dropout)))),
        pairs_(static_cast<std::size_t>(problem.shape.rows() * problem.shape.keys)),
        gradients_(problem) {
    own_.exp_error = recipe.exp_error.value_or(own_.exp_error);
    const Shape& s = problem.shape;
    for (index b = 0; b < s.batch; ++b) {
      for (index g = 0; g < s.kv_heads; ++g)
        for (index j = 0; j < s.keys; ++j) {
          keys_.push_back(kernel_.row(inputs.key.view(), b, g, j));
          values_.push_back(kernel_.row(inputs.value.view(), b, g, j));
        }
      for (index h = 0; h < s.heads; ++h)
        for (index i = 0; i < s.queries; ++i) {
          queries_.push_back(kernel_.row(inputs.query.view(), b, h, i));
          douts_.push_back(kernel_.row(inputs.dout->view(), b, h, i));
          for (index j = 0; j < s.keys; ++j) {
            const Pair at{b, h, i, j};
            visible_.push_back(problem.visible(at) && std::isfinite(bias_.of(at)));
          }
        }
    }
  }

  Gradients run() {
    const Shape& s = problem_.shape;
    std::vector<double> sinks(static_cast<std::size_t>(s.heads), 0.0);
    for (index b = 0; b < s.batch; ++b)
      for (index h = 0; h < s.heads; ++h)
        for (index i = 0; i < s.queries; ++i) {
          double& sink = sinks[static_cast<std::size_t>(h)];
          sink = kernel_.once(sink + row(b, h, i));
          query_row(b, h, i);
        }
    for (index b = 0; b < s.batch; ++b)
      for (index g = 0; g < s.kv_heads; ++g)
        for (index j = 0; j < s.keys; ++j) key_row(b, g, j);
    if (inputs_.bias) biases();
    if (inputs_.sink)
      for (index h = 0; h < s.heads; ++h) gradients_.sink->view().set(0, h, 0, 0, sinks[static_cast<std::size_t>(h)]);
    return std::move(gradients_);
  }

 private:
  std::size_t row_place(index b, index h, index i) const {
    return static_cast<std::size_t>((b * problem_.shape.heads + h) * problem_.shape.queries + i);
  }
  std::size_t key_place(index b, index g, index j) const {
    return static_cast<std::size_t>((b * problem_.shape.kv_heads + g) * problem_.shape.keys + j);
  }
  std::size_t pair_place(const Pair& at) const {
    return row_place(at.batch, at.head, at.query) * static_cast<std::size_t>(problem_.shape.keys) +
           static_cast<std::size_t>(at.key);
  }
  SentPair& pair(index b, index h, index i, index j) { return pairs_[pair_place({b, h, i, j})]; }
  bool visible(const Pair& at) const { return visible_[pair_place(at)]; }

  /// P, recomputed from log_sum_exp; and the softcap's derivative.
  std::pair<double, double> weight(const Pair& at, const std::vector<double>& q, double log_sum_exp) const {
    const index g = problem_.shape.kv_head(at.head);
    const double product = kernel_.sum_of_products(0, q, keys_[key_place(at.batch, g, at.key)]);
    const double first_channel = values_[key_place(at.batch, g, at.key)].front();
    if (recipe_.forward.base_two && problem_.score.terms().empty()) {
      const double log2_e = kernel_.once(std::numbers::log2e), factor = kernel_.once(scale_ * log2_e);
      const double x = std::fmaf(static_cast<float>(product), static_cast<float>(factor),
                                 static_cast<float>(-kernel_.once(log_sum_exp * log2_e)));
      return {kernel_.exp(x * std::numbers::ln2, static_cast<std::size_t>(at.key), first_channel), 1};
    }
    double s = kernel_.once(product * scale_), derivative = 1;
    if (const auto cap = problem_.score.softcap()) {
      const double t = kernel_.once(std::tanh(kernel_.once(s / *cap)) * (1 + recipe_.forward.tanh_error));
      s = kernel_.once(t * *cap);
      if (recipe_.forgotten != Forgotten::derivative) derivative = kernel_.once(1 - kernel_.once(t * t));
    }
    if (problem_.score.has_bias()) s = kernel_.once(s + kernel_.once(bias_.of(at)));
    const double x = kernel_.once(s - log_sum_exp);
    return {kernel_.exp(x, static_cast<std::size_t>(at.key), first_channel), derivative};
  }

  double keep(const Pair& at) const {
    if (!dropout_) return 1;
    return dropout_.keeps(at) ? dropout_factor_ : 0;
  }

  double cast_to_input(double x, const Cast& cast) const {
    if (cast.roundoff == 0) return x;
    const double narrow = problem_.input.round(x);
    return problem_.input.name == "bf16" ? kernel_.flushed(narrow) : narrow;
  }
  double cast_weight(double p) const { return cast_to_input(p, numerics_.gradient.weight); }
  double cast_score_gradient(double x) const { return cast_to_input(x, numerics_.gradient.cast); }

  /// Fills the pairs of one row; returns what it adds to the gradient of its sink.
  double row(index b, index h, index i) {
    const index g = problem_.shape.kv_head(h);
    Row forward = recipe_.split ? answer(problem_, inputs_, numerics_, *recipe_.split, b, h, i)
                                : answer(problem_, inputs_, numerics_, recipe_.forward, b, h, i);
    if (!recipe_.log_sum_exp_in.empty()) forward.log_sum_exp = dtype(recipe_.log_sum_exp_in).round(forward.log_sum_exp);
    const std::vector<double>& q = queries_[row_place(b, h, i)];
    const std::vector<double>& dout = douts_[row_place(b, h, i)];
    std::vector<double> p, dp, derivatives;
    std::vector<index> keys;
    for (index j = 0; j < problem_.shape.keys; ++j) {
      if (!visible({b, h, i, j})) continue;
      const auto [weight_here, derivative] = weight({b, h, i, j}, q, forward.log_sum_exp);
      const double product = kernel_.sum_of_products(0, dout, values_[key_place(b, g, j)]);
      const double z = recipe_.forgotten == Forgotten::dropout_of_dp ? 1 : keep({b, h, i, j});
      keys.push_back(j);
      p.push_back(weight_here);
      dp.push_back(cast_to_input(kernel_.once(product * z), numerics_.gradient.stored));
      derivatives.push_back(derivative);
    }
    if (keys.empty()) return 0;
    const double delta = recipe_.forgotten == Forgotten::delta ? 0
                         : recipe_.delta_from == DeltaFrom::rows
                             ? kernel_.sum_of_products(0, p, dp)
                             : kernel_.sum_of_products(
                                   0, dout, recipe_.delta_from == DeltaFrom::out ? forward.out : forward.accumulated);
    for (std::size_t e = 0; e < keys.size(); ++e) {
      SentPair& sent = pair(b, h, i, keys[e]);
      const double plain = kernel_.once(cast_weight(p[e]) * kernel_.once(dp[e] - delta));
      double scaled = kernel_.once(plain * derivatives[e]);
      if (recipe_.scale_at == ScaleAt::score_gradients && recipe_.forgotten != Forgotten::scale)
        scaled = kernel_.once(scaled * scale_);
      sent = {cast_score_gradient(scaled), plain, kernel_.cast(kernel_.once(p[e] * keep({b, h, i, keys[e]})))};
    }
    if (!inputs_.sink) return 0;
    const double sink = kernel_.flushed(inputs_.sink->view().value(0, h, 0, 0));
    return kernel_.once(-kernel_.exp(kernel_.once(sink - forward.log_sum_exp), 0, 0) * delta);
  }

  double scaled_sum(double sum) const {
    const bool here = recipe_.scale_at == ScaleAt::sums && recipe_.forgotten != Forgotten::scale;
    return here ? kernel_.once(sum * scale_) : sum;
  }

  double sum(std::vector<double> x, std::vector<double> y) const {
    if (recipe_.descending) {
      std::reverse(x.begin(), x.end());
      std::reverse(y.begin(), y.end());
    }
    return kernel_.sum_of_products(0, x, y);
  }

  void query_row(index b, index h, index i) {
    const index g = problem_.shape.kv_head(h);
    for (index c = 0; c < problem_.shape.dim; ++c) {
      std::vector<double> ds, k;
      for (index j = 0; j < problem_.shape.keys; ++j) {
        if (!visible({b, h, i, j})) continue;
        ds.push_back(pair(b, h, i, j).score_gradient);
        k.push_back(keys_[key_place(b, g, j)][static_cast<std::size_t>(c)]);
      }
      gradients_.query.view().set(b, h, i, c, scaled_sum(sum(ds, k)));
    }
  }

  /// sum over the rows of a group of sent * row, in one sum or head by head.
  double over_rows(index b, index g, index j, double SentPair::*sent, const Rows& rows, index c) {
    const index group = problem_.shape.heads / problem_.shape.kv_heads;
    std::vector<double> x, y;
    double of_heads = 0;
    for (index h = g * group; h < (g + 1) * group; ++h) {
      for (index i = 0; i < problem_.shape.queries; ++i) {
        if (!visible({b, h, i, j})) continue;
        x.push_back(pair(b, h, i, j).*sent);
        y.push_back(rows[row_place(b, h, i)][static_cast<std::size_t>(c)]);
      }
      if (!recipe_.heads_rounded_apart) continue;
      const double head = sent == &SentPair::weight ? sum(x, y) : scaled_sum(sum(x, y));
      of_heads = kernel_.once(of_heads + problem_.output.round(head));
      x.clear();
      y.clear();
    }
    if (recipe_.heads_rounded_apart) return of_heads;
    return sent == &SentPair::weight ? sum(x, y) : scaled_sum(sum(x, y));
  }

  void key_row(index b, index g, index j) {
    for (index c = 0; c < problem_.shape.dim; ++c)
      gradients_.key.view().set(b, g, j, c, over_rows(b, g, j, &SentPair::score_gradient, queries_, c));
    for (index c = 0; c < problem_.shape.value_dim; ++c)
      gradients_.value.view().set(b, g, j, c, over_rows(b, g, j, &SentPair::weight, douts_, c));
  }

  void biases() {
    const Shape& s = problem_.shape;
    const View view = gradients_.bias->view();
    const Extents& e = view.extents();
    std::vector<double> sums(static_cast<std::size_t>(element_count(e)), 0.0);
    const auto place = [](index extent, index at) { return extent == 1 ? 0 : at; };
    for (index b = 0; b < s.batch; ++b)
      for (index h = 0; h < s.heads; ++h)
        for (index i = 0; i < s.queries; ++i)
          for (index j = 0; j < s.keys; ++j) {
            const index at = ((place(e[0], b) * e[1] + place(e[1], h)) * e[2] + place(e[2], i)) * e[3] + place(e[3], j);
            double& total = sums[static_cast<std::size_t>(at)];
            const double own = pair(b, h, i, j).bias_gradient;
            total = kernel_.once(total + (recipe_.heads_rounded_apart ? problem_.output.round(own) : own));
          }
    std::size_t next = 0;
    for (index b = 0; b < e[0]; ++b)
      for (index h = 0; h < e[1]; ++h)
        for (index i = 0; i < e[2]; ++i)
          for (index j = 0; j < e[3]; ++j) view.set(b, h, i, j, sums[next++]);
  }

  const Problem& problem_;
  const Inputs& inputs_;
  const Numerics& numerics_;
  const BackwardRecipe& recipe_;
  Recipe own_;
  const Arithmetic kernel_;
  const Bias bias_;
  const Dropout dropout_;
  double scale_, dropout_factor_;
  Rows queries_, keys_, values_, douts_;
  std::vector<bool> visible_;
  std::vector<SentPair> pairs_;
  Gradients gradients_;
};

}  // namespace

Gradients gradients(const Problem& problem, const Inputs& inputs, const Numerics& numerics,
                    const BackwardRecipe& recipe) {
  return BackwardPass(problem, inputs, numerics, recipe).run();
}

}  // namespace attestone::emulation
