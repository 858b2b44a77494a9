// SPDX-License-Identifier: Apache-2.0
// Online and two-pass softmax.
#include "tests/conformance/styles/styled_row.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attestone::styles {
namespace {

constexpr float lazy_step = 8;

/// NaN is never larger: it shows in the exponential.
float larger(float a, float b) { return b > a ? b : a; }

float by_halves(const float* addends, std::size_t count) {
  if (count <= 1) return count == 0 ? 0 : *addends;
  return by_halves(addends, count / 2) + by_halves(addends + count / 2, count - count / 2);
}

}  // namespace

StyledRow::StyledRow(const Style& style, const Problem& problem, const KernelInputs& inputs,
                     const VisiblePairs& visible, const Dropout& dropout, const Pair& at)
    : style_(style),
      problem_(problem),
      inputs_(inputs),
      at_(at),
      plain_(problem.score == Score() && problem.scale() > 0),
      kept_factor_(1 / (1 - static_cast<float>(problem.dropout))) {
  const auto scale = static_cast<float>(problem.scale());
  exponent_factor_ = scale * std::numbers::log2e_v<float>;
  to_natural_ = !plain_ ? 1 : style.prescaled ? std::numbers::ln2_v<float> : style.fused_base_two ? scale : 1;
  if (inputs.sink && std::isfinite(inputs.sink->value(0, at.head, 0, 0) - 0.0))
    sink_ = static_cast<float>(inputs.sink->value(0, at.head, 0, 0));
  else if (inputs.sink && !(inputs.sink->value(0, at.head, 0, 0) < 0))
    sink_ = static_cast<float>(inputs.sink->value(0, at.head, 0, 0));
  read_scores(visible, dropout);
}

StyledRow StyledRow::part(index first, index end, bool with_sink) const {
  StyledRow part = *this;
  std::erase_if(part.pairs_, [&](const StyledPair& pair) { return pair.key < first || pair.key >= end; });
  if (!with_sink) part.sink_.reset();
  return part;
}

void StyledRow::read_scores(const VisiblePairs& visible, const Dropout& dropout) {
  const index kv_head = problem_.shape.kv_head(at_.head);
  const auto scale = static_cast<float>(problem_.scale());
  const auto cap = problem_.score.softcap();
  for (index key = 0; key < problem_.shape.keys; ++key) {
    const Pair pair{at_.batch, at_.head, at_.query, key};
    const float bias = inputs_.bias ? static_cast<float>(inputs_.bias->value(at_.batch, at_.head, at_.query, key)) : 0;
    if (!visible(pair) || bias == -INFINITY) continue;
    StyledPair of{.key = key, .kept = !dropout || dropout.keeps(pair)};
    const bool scaled_first = plain_ && style_.prescaled;
    for (index c = 0; c < problem_.shape.dim; ++c) {
      const auto q = static_cast<float>(inputs_.query.value(at_.batch, at_.head, at_.query, c));
      const auto k = static_cast<float>(inputs_.key.value(at_.batch, kv_head, key, c));
      of.score += (scaled_first ? q * exponent_factor_ : q) * k;
    }
    if (!plain_ || !(style_.prescaled || style_.fused_base_two)) of.score *= scale;
    if (cap) {
      const float z = of.score / static_cast<float>(*cap);
      const float tanh = style_.tanh_by_sigmoid ? 2 / (1 + std::exp(-2 * z)) - 1 : std::tanh(z);
      of.slope = 1 - tanh * tanh;
      of.score = tanh * static_cast<float>(*cap);
    }
    if (inputs_.bias) of.score += bias;
    pairs_.push_back(of);
  }
  if (style_.descending) std::ranges::reverse(pairs_);
}

float StyledRow::power(float score, float maximum) const {
  if (plain_ && style_.prescaled) return std::exp2(score - maximum);
  if (plain_ && style_.fused_base_two)
    return std::exp2(std::fma(score, exponent_factor_, -(maximum * exponent_factor_)));
  return std::exp(score - maximum);
}

bool StyledRow::skips(const StyledPair& pair, float weight) const {
  if (style_.skips == Skips::nothing) return false;
  return pair.score == -INFINITY || (style_.skips == Skips::zero_weights && weight == 0);
}

float StyledRow::value(const StyledPair& pair, index channel) const {
  return static_cast<float>(inputs_.value.value(at_.batch, problem_.shape.kv_head(at_.head), pair.key, channel));
}

float StyledRow::sum(std::vector<float> addends) const {
  if (style_.pairwise) return by_halves(addends.data(), addends.size());
  float all = 0;
  for (const float addend : addends) all += addend;
  return all;
}

void StyledRow::add_sink(StyledSums& sums) const { sums.total += power(*sink_, sums.maximum); }

StyledSums StyledRow::in_two_passes() const {
  StyledSums sums{-INFINITY, 0, std::vector<float>(static_cast<std::size_t>(problem_.shape.value_dim))};
  if (sink_ && style_.sink_at == SinkAt::first) sums.maximum = larger(sums.maximum, *sink_);
  for (const StyledPair& pair : pairs_) sums.maximum = larger(sums.maximum, pair.score);
  std::vector<float> weights, visited;
  for (const StyledPair& pair : pairs_) {
    weights.push_back(power(pair.score, sums.maximum));
    if (!skips(pair, weights.back())) visited.push_back(weights.back());
  }
  sums.total = sum(visited);
  if (sink_) add_sink(sums);
  for (std::size_t c = 0; c < sums.out.size(); ++c) {
    std::vector<float> products;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      float weight = weights[i];
      if (skips(pairs_[i], weight)) continue;
      if (style_.division == Division::weights) weight /= sums.total;
      if (style_.division == Division::reciprocal_first) weight *= 1 / sums.total;
      if (!pairs_[i].kept && !style_.multiplies_dropped) continue;
      products.push_back(dropped(pairs_[i], weight) * value(pairs_[i], static_cast<index>(c)));
    }
    sums.out[c] = sum(products);
    if (visited.empty() && !sink_) continue;
    if (style_.division == Division::at_end) sums.out[c] /= sums.total;
    if (style_.division == Division::reciprocal) sums.out[c] *= 1 / sums.total;
  }
  return sums;
}

StyledSums StyledRow::keeping_up() const {
  StyledSums sums{-INFINITY, 0, std::vector<float>(static_cast<std::size_t>(problem_.shape.value_dim))};
  const bool guarded = style_.maximum != Maximum::running;
  if (sink_ && style_.sink_at == SinkAt::first) sums.maximum = *sink_, sums.total = power(*sink_, *sink_);
  bool any = false;
  for (const StyledPair& pair : pairs_) {
    if (style_.skips != Skips::nothing && pair.score == -INFINITY) continue;
    any = true;
    const float step = style_.maximum == Maximum::lazy && std::isfinite(sums.maximum) ? lazy_step / to_natural_ : 0;
    const float raised = pair.score > sums.maximum + step ? pair.score : sums.maximum;
    const float reference = guarded && raised == -INFINITY ? 0 : raised;
    if (raised != sums.maximum || !guarded) {
      const float old = power(sums.maximum, reference);
      sums.total *= old;
      if (!style_.renormalises)
        for (float& o : sums.out) o *= old;
    }
    if (style_.renormalises)
      for (float& o : sums.out) o *= sums.total;
    sums.maximum = raised;
    const float weight = power(pair.score, reference);
    if (skips(pair, weight)) continue;
    sums.total += weight;
    if (pair.kept || style_.multiplies_dropped)
      for (std::size_t c = 0; c < sums.out.size(); ++c)
        sums.out[c] += dropped(pair, weight) * value(pair, static_cast<index>(c));
    if (style_.renormalises && sums.total != 0)
      for (float& o : sums.out) o /= sums.total;
  }
  if (style_.renormalises) return sums;
  if (sums.total == 0 && guarded && !sink_) return sums;  // nothing but -inf: seen as empty
  if (sink_ && style_.sink_at == SinkAt::end) {
    if (sums.maximum == -INFINITY) sums.maximum = *sink_;
    if (std::isfinite(*sink_) && std::isinf(power(*sink_, sums.maximum))) {
      for (float& o : sums.out) o *= power(sums.maximum, *sink_);
      sums.total *= power(sums.maximum, *sink_), sums.maximum = *sink_;
    }
    add_sink(sums);
  }
  for (float& o : sums.out)
    if (any || sink_) o = style_.division == Division::reciprocal ? o * (1 / sums.total) : o / sums.total;
  return sums;
}

}  // namespace attestone::styles
