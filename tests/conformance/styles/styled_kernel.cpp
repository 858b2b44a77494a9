// SPDX-License-Identifier: Apache-2.0
// Both passes of the styled kernels, row after row.
#include "tests/conformance/styles/styled_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "tests/conformance/styles/styled_parts.hpp"

namespace attestone::styles {
namespace {

/// Gradients that rows add up, packed like a tensor.
struct Sum {
  explicit Sum(const Extents& of) : extents(of), numbers(static_cast<std::size_t>(element_count(of))) {}
  float& at(index b, index h, index r, index c) {
    const auto along = [](index place, index extent) { return extent == 1 ? 0 : place; };
    return numbers[static_cast<std::size_t>(
        ((along(b, extents[0]) * extents[1] + along(h, extents[1])) * extents[2] + along(r, extents[2])) * extents[3] +
        along(c, extents[3]))];
  }
  void store(const View& to) {
    for_each_element(to, [&](index b, index h, index r, index c) { to.set(b, h, r, c, at(b, h, r, c)); });
  }
  Extents extents;
  std::vector<float> numbers;
};

/// The backward pass of one row.
class StyledGradients {
 public:
  StyledGradients(const Style& style, const Problem& problem, const BackwardArguments& arguments,
                  const VisiblePairs& visible, const Dropout& dropout, const Pair& at)
      : style_(style),
        problem_(problem),
        arguments_(arguments),
        at_(at),
        row_(style, problem, arguments, visible, dropout, at) {}

  void add_to(Sum& query, Sum& key, Sum& value, Sum* bias, Sum* sink) {
    if (style_.skips_silent_rows && is_silent()) return;
    find_weights();
    find_products();
    const float delta = this->delta();
    const auto scale = static_cast<float>(problem_.scale());
    const index kv_head = problem_.shape.kv_head(at_.head);
    for (std::size_t i = 0; i < row_.pairs().size(); ++i) {
      const StyledPair& pair = row_.pairs()[i];
      if (row_.skips(pair, weights_[i])) continue;
      const float plain = weights_[i] * (products_[i] - delta), gradient = plain * pair.slope;
      if (bias) bias->at(at_.batch, at_.head, at_.query, pair.key) += plain;
      for (index c = 0; c < problem_.shape.dim; ++c) {
        query.at(at_.batch, at_.head, at_.query, c) +=
            scale * (gradient * static_cast<float>(arguments_.key.value(at_.batch, kv_head, pair.key, c)));
        key.at(at_.batch, kv_head, pair.key, c) +=
            scale * (gradient * static_cast<float>(arguments_.query.value(at_.batch, at_.head, at_.query, c)));
      }
      if (!pair.kept && !style_.multiplies_dropped) continue;
      const float weight = weights_[i] * (pair.kept ? row_.kept_factor() : 0);
      for (index c = 0; c < problem_.shape.value_dim; ++c)
        value.at(at_.batch, kv_head, pair.key, c) += weight * dout(c);
    }
    if (style_.multiplies_hidden) add_hidden(query, key, value, bias, delta);
    if (sink && row_.sink() && !(style_.skips == Skips::zero_weights && sink_weight_ == 0))
      sink->at(0, at_.head, 0, 0) -= sink_weight_ * delta;
  }

 private:
  float dout(index c) const { return static_cast<float>(arguments_.dout.value(at_.batch, at_.head, at_.query, c)); }
  bool is_silent() const {
    for (index c = 0; c < problem_.shape.value_dim; ++c)
      if (dout(c) != 0) return false;
    return true;
  }

  void find_weights() {
    const auto logarithm = static_cast<float>(arguments_.log_sum_exp.value(at_.batch, at_.head, at_.query, 0));
    const StyledSums sums = row_.sums();
    const auto weight = [&](float score, float natural) {
      return style_.recomputes_from_sums ? row_.power(score, sums.maximum) / sums.total : std::exp(natural - logarithm);
    };
    for (const StyledPair& pair : row_.pairs()) weights_.push_back(weight(pair.score, row_.natural(pair.score)));
    if (row_.sink()) sink_weight_ = row_.pairs().empty() ? 1 : weight(*row_.sink(), *row_.sink());
  }

  void find_products() {
    for (const StyledPair& pair : row_.pairs()) {
      float product = 0;
      for (index c = 0; c < problem_.shape.value_dim; ++c)
        product += dout(c) *
                   static_cast<float>(arguments_.value.value(at_.batch, problem_.shape.kv_head(at_.head), pair.key, c));
      if (pair.kept)
        product *= row_.kept_factor();
      else
        product = style_.multiplies_dropped ? product * 0 : 0;
      products_.push_back(product);
    }
  }

  float delta() const {
    float sum = 0;
    if (!style_.delta_from_pairs) {
      for (index c = 0; c < problem_.shape.value_dim; ++c)
        sum += dout(c) * static_cast<float>(arguments_.out.value(at_.batch, at_.head, at_.query, c));
      return sum;
    }
    for (std::size_t i = 0; i < weights_.size(); ++i)
      if (!row_.skips(row_.pairs()[i], weights_[i])) sum += weights_[i] * products_[i];
    return sum;
  }

  /// 0 * (dO.0 - delta) for keys that the row does not see, whose K and V are read as 0.
  void add_hidden(Sum& query, Sum& key, Sum& value, Sum* bias, float delta) {
    float product = 0;
    for (index c = 0; c < problem_.shape.value_dim; ++c) product += dout(c) * 0;
    const float gradient = 0 * (product - delta);
    const index kv_head = problem_.shape.kv_head(at_.head);
    std::vector<bool> seen(static_cast<std::size_t>(problem_.shape.keys));
    for (const StyledPair& pair : row_.pairs()) seen[static_cast<std::size_t>(pair.key)] = true;
    for (index j = 0; j < problem_.sequence(at_.batch).keys; ++j) {
      if (seen[static_cast<std::size_t>(j)]) continue;
      if (bias) bias->at(at_.batch, at_.head, at_.query, j) += gradient;
      for (index c = 0; c < problem_.shape.dim; ++c) {
        query.at(at_.batch, at_.head, at_.query, c) += gradient * 0;
        key.at(at_.batch, kv_head, j, c) +=
            gradient * static_cast<float>(arguments_.query.value(at_.batch, at_.head, at_.query, c));
      }
      for (index c = 0; c < problem_.shape.value_dim; ++c) value.at(at_.batch, kv_head, j, c) += 0 * dout(c);
    }
  }

  const Style& style_;
  const Problem& problem_;
  const BackwardArguments& arguments_;
  Pair at_;
  StyledRow row_;
  std::vector<float> weights_, products_;
  float sink_weight_ = 0;
};

class StyledKernel final : public Kernel {
 public:
  explicit StyledKernel(Style style) : style_(std::move(style)) {}

  std::string name() const override { return style_.name; }
  Support supports(const Problem& problem) const override {
    if (problem.input != dtype("f32") || problem.output != dtype("f32")) return Support::refused("f32 only");
    const bool formula = problem.score.has_bias() && !problem.score.bias_tensor();
    return formula ? Support::refused("no bias by formula") : Support();
  }
  Numerics numerics(const Problem& problem) const override {
    Numerics numerics = default_numerics(problem.input, problem.output);
    // Exponents of up to 8 are rounded (docs/tolerance.md, "Weights").
    if (style_.maximum == Maximum::lazy) numerics.weight.exp_error += 16 * numerics.value.accumulator.roundoff;
    numerics.value.normalised_per_tile = style_.renormalises;
    if (style_.renormalises) numerics.weight.tile_keys = 1;
    if (style_.tanh_by_sigmoid) numerics.score.tanh_absolute_error = 0x1p-22;
    numerics.merge.form = style_.merge;
    if (style_.part_keys > 0)
      numerics.merge.parts = std::max<index>(1, (problem.shape.keys + style_.part_keys - 1) / style_.part_keys);
    return numerics;
  }

  void forward(const Problem& problem, const Arguments& arguments, Device&) const override {
    const VisiblePairs visible(problem);
    const Dropout dropout(problem);
    for (index b = 0; b < problem.shape.batch; ++b)
      for (index h = 0; h < problem.shape.heads; ++h)
        for (index i = 0; i < arguments.out.rows(b); ++i) {
          const StyledAnswer row = answer(StyledRow(style_, problem, arguments, visible, dropout, {b, h, i, 0}));
          for (index c = 0; c < problem.shape.value_dim; ++c)
            arguments.out.set(b, h, i, c, row.out[static_cast<std::size_t>(c)]);
          arguments.log_sum_exp.set(b, h, i, 0, row.log_sum_exp);
        }
  }

  bool computes_gradients() const override { return true; }
  void backward(const Problem& problem, const BackwardArguments& arguments, Device&) const override {
    const VisiblePairs visible(problem);
    const Dropout dropout(problem);
    Sum query(arguments.dquery.extents()), key(arguments.dkey.extents()), value(arguments.dvalue.extents());
    std::optional<Sum> bias, sink;
    if (arguments.dbias) bias.emplace(arguments.dbias->extents());
    if (arguments.dsink) sink.emplace(arguments.dsink->extents());
    for (index b = 0; b < problem.shape.batch; ++b)
      for (index h = 0; h < problem.shape.heads; ++h)
        for (index i = 0; i < problem.sequence(b).queries; ++i)
          StyledGradients(style_, problem, arguments, visible, dropout, {b, h, i, 0})
              .add_to(query, key, value, bias ? &*bias : nullptr, sink ? &*sink : nullptr);
    query.store(arguments.dquery), key.store(arguments.dkey), value.store(arguments.dvalue);
    if (bias) bias->store(*arguments.dbias);
    if (sink) sink->store(*arguments.dsink);
  }

 private:
  StyledAnswer answer(const StyledRow& row) const {
    if (row.pairs().empty())
      return {std::vector<float>(static_cast<std::size_t>(row.value_dim())), row.sink().value_or(-INFINITY)};
    if (style_.merge != MergeForm::none) return merged_parts(style_, row);
    const StyledSums sums = row.sums();
    return {sums.out, row.log_sum_exp(sums)};
  }

  Style style_;
};

}  // namespace

SharedKernel kernel(const Style& style) { return std::make_shared<StyledKernel>(style); }

const std::vector<Style>& all() {
  static const std::vector<Style> styles = [] {
    std::vector<Style> of(18);
    of[0] = {.name = "definition", .maximum = Maximum::last};
    of[1] = {.name = "skips_infinite_scores", .skips = Skips::infinite_scores};
    of[2] = {.name = "skips_zero_weights", .skips = Skips::zero_weights, .recomputes_from_sums = true};
    of[3] = {.name = "running", .maximum = Maximum::running, .delta_from_pairs = true};
    of[4] = {.name = "fused_base_two",
             .maximum = Maximum::running_guarded,
             .division = Division::reciprocal,
             .skips = Skips::infinite_scores,
             .fused_base_two = true};
    of[5] = {.name = "fused_two_passes", .division = Division::reciprocal, .fused_base_two = true, .pairwise = true};
    of[6] = {.name = "prescaled_base_two",
             .maximum = Maximum::running_guarded,
             .prescaled = true,
             .descending = true,
             .multiplies_dropped = true};
    of[7] = {.name = "lazy", .maximum = Maximum::lazy, .skips = Skips::zero_weights, .delta_from_pairs = true};
    of[8] = {.name = "divided_weights",
             .division = Division::weights,
             .multiplies_dropped = true,
             .recomputes_from_sums = true,
             .multiplies_hidden = true};
    of[9] = {.name = "reciprocal_first",
             .division = Division::reciprocal_first,
             .skips = Skips::infinite_scores,
             .pairwise = true,
             .delta_from_pairs = true};
    of[10] = {.name = "multiplies_all_through",
              .multiplies_dropped = true,
              .delta_from_pairs = true,
              .multiplies_hidden = true};
    of[11] = {.name = "sink_at_the_end",
              .maximum = Maximum::running_guarded,
              .skips = Skips::zero_weights,
              .sink_at = SinkAt::end,
              .descending = true};
    of[12] = {.name = "silent_rows_skipped",
              .skips = Skips::zero_weights,
              .recomputes_from_sums = true,
              .delta_from_pairs = true,
              .skips_silent_rows = true};
    of[13] = {.name = "lazy_fused",
              .maximum = Maximum::lazy,
              .division = Division::reciprocal,
              .fused_base_two = true,
              .descending = true,
              .multiplies_hidden = true};
    of[14] = {.name = "parts_by_sigmoid", .merge = MergeForm::sigmoid, .part_keys = 5};
    of[15] = {.name = "parts_corrected_late",
              .maximum = Maximum::running_guarded,
              .skips = Skips::zero_weights,
              .descending = true,
              .merge = MergeForm::late_correction,
              .part_keys = 3};
    of[16] = {.name = "flash_attention_1", .maximum = Maximum::running_guarded, .renormalises = true};
    of[17] = {.name = "tanh_by_sigmoid", .tanh_by_sigmoid = true};
    return of;
  }();
  return styles;
}

}  // namespace attestone::styles
