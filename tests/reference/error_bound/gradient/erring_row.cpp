// SPDX-License-Identifier: Apache-2.0
// Scores, the forward pass, and what the backward pass takes from it.
#include "tests/reference/error_bound/gradient/erring_row.hpp"

#include <algorithm>
#include <cmath>

namespace attestone::emulation {

Extended scaled_query(const Problem& problem, const Numerics& numerics, Roundings& roundings, Extended q) {
  return roundings.cast(static_cast<Extended>(problem.scale()) * q, numerics.score.prescale);
}

ErringRow::ErringRow(const Problem& problem, const Inputs& inputs, const Numerics& numerics, const Form& form,
                     Roundings& roundings, index head, index query)
    : problem_(problem),
      inputs_(inputs),
      numerics_(numerics),
      form_(form),
      round_(roundings),
      head_(head),
      query_(query),
      kv_head_(problem.shape.kv_head(head)),
      dropout_(problem) {
  const double logit = inputs.sink ? inputs.sink->view().value(0, head, 0, 0) : -HUGE_VAL;
  if (std::isfinite(logit)) sink_ = static_cast<Extended>(logit);
  find_scores(Bias(problem, inputs));
}

std::vector<Extended> ErringRow::row(const Tensor& tensor, index head, index row) const {
  std::vector<Extended> all;
  for (index c = 0; c < tensor.view().extents()[3]; ++c)
    all.push_back(static_cast<Extended>(tensor.view().value(0, head, row, c)));
  return all;
}

void ErringRow::find_scores(const Bias& bias) {
  std::vector<Extended> q = row(inputs_.query, head_, query_);
  for (Extended& x : q) x = scaled_query(problem_, numerics_, round_, x);
  for (index j = 0; j < problem_.shape.keys; ++j) {
    const double logit = bias.of({0, head_, query_, j});
    if (!problem_.visible({0, head_, query_, j}) || std::isinf(logit)) continue;
    keys_.push_back(j);
    const std::vector<Extended> k = row(inputs_.key, kv_head_, j);
    Extended score = 0;
    for (std::size_t c = 0; c < q.size(); ++c) score += q[c] * k[c];
    if (const auto cap = problem_.score.softcap()) {
      tanh_.push_back(round_.relative(std::tanh(score / static_cast<Extended>(*cap)), numerics_.score.tanh_error));
      score = tanh_.back() * static_cast<Extended>(*cap);
    }
    score += static_cast<Extended>(logit);
    scores_.push_back(round_.cast(score, numerics_.score.stored));
  }
}

Extended ErringRow::exponential(Extended x) {
  return x == 0 ? 1
                : round_.once(round_.relative(std::exp(x), numerics_.weight.exp_error),
                              {.underflow = numerics_.weight.accumulator.underflow});
}

ErringRow::Exponentials ErringRow::exponentials() {
  const Accumulator& a = numerics_.weight.accumulator;
  std::vector<Extended> all = scores_;
  if (sink_) all.push_back(*sink_);
  Exponentials result{.maximum = *std::max_element(all.begin(), all.end())};
  for (const Extended s : all) {
    result.each.push_back(exponential(round_.once(round_.once(s - result.maximum, a), a)));
    result.cast.push_back(round_.cast(result.each.back(), numerics_.weight.cast));
  }
  result.sum = round_.sum(numerics_.weight.denominator_sums_cast ? result.cast : result.each, a);
  return result;
}

Extended ErringRow::divided(Extended weight, Extended sum) {
  const Accumulator& a = numerics_.weight.accumulator;
  return round_.once(weight * round_.once(1 / sum, a), a);
}

StoredRow ErringRow::forward() {
  Exponentials weights = exponentials();
  const Accumulator& last = numerics_.output.accumulator;
  const bool normalised = numerics_.weight.normalised;
  if (normalised)
    for (std::size_t j = 0; j < weights.each.size(); ++j)
      weights.cast[j] = round_.cast(divided(weights.each[j], weights.sum), numerics_.weight.cast);
  const Extended factor = dropout_factor(last);
  StoredRow stored;
  for (index c = 0; c < problem_.shape.value_dim; ++c) {
    std::vector<Extended> p, v;
    for (std::size_t j = 0; j < keys_.size(); ++j) {
      p.push_back(keeps(j) ? factor * weights.cast[j] : 0);
      v.push_back(static_cast<Extended>(inputs_.value.view().value(0, kv_head_, keys_[j], c)));
    }
    const Extended sum = round_.sum_of_products(p, v, numerics_.value.accumulator);
    const Extended out = round_.once(normalised ? sum : sum * round_.once(1 / weights.sum, last), last);
    stored.out.push_back(numerics_.gradient.delta_from_rounded_out ? round_.cast(out, numerics_.output.cast) : out);
  }
  const Extended log = round_.once(round_.relative(std::log(weights.sum), numerics_.output.log_error), last);
  stored.log_sum_exp = round_.relative(round_.once(weights.maximum + log, last), numerics_.output.log_sum_exp_roundoff);
  return stored;
}

std::vector<Extended> ErringRow::weights(const StoredRow& stored) {
  const Accumulator& a = numerics_.weight.accumulator;
  std::vector<Extended> all;
  if (form_.softmax_again) {
    const Exponentials weights = exponentials();
    for (const Extended w : weights.each) all.push_back(divided(w, weights.sum));
    return all;
  }
  std::vector<Extended> scores = scores_;
  if (sink_) scores.push_back(*sink_);
  const Extended in_base_two =
      form_.log2_e_first ? round_.once(round_.relative(stored.log_sum_exp, a.roundoff), a) : stored.log_sum_exp;
  for (const Extended s : scores) {
    const Extended difference = round_.once(s - in_base_two, a);
    all.push_back(exponential(form_.log2_e_first ? difference : round_.once(difference, a)));
  }
  return all;
}

Extended ErringRow::derivative(std::size_t key) {
  if (tanh_.empty()) return 1;
  const Accumulator& a = numerics_.gradient.accumulator;
  return round_.once(round_.once(1 - tanh_[key], a) * round_.once(1 + tanh_[key], a), a);
}

bool ErringRow::keeps(std::size_t key) const { return !dropout_ || dropout_.keeps({0, head_, query_, keys_[key]}); }

Extended ErringRow::dropout_factor(const Accumulator& a) {
  if (!dropout_) return 1;
  const Extended rate = round_.once(static_cast<Extended>(problem_.dropout), a);
  return round_.once(round_.once(1 / round_.once(1 - rate, a), a), a);
}

std::vector<Extended> ErringRow::projected_values(bool with_factor) {
  const double operand = numerics_.gradient.operand_roundoff;
  const Accumulator& a = numerics_.gradient.accumulator;
  const Extended factor = with_factor ? dropout_factor(a) : 1;
  const std::vector<Extended> dout = row(*inputs_.dout, head_, query_);
  std::vector<Extended> all;
  for (std::size_t j = 0; j < keys_.size(); ++j) {
    std::vector<Extended> x, y;
    for (const Extended each : dout) x.push_back(round_.relative(round_.read(each, a), operand));
    for (const Extended each : row(inputs_.value, kv_head_, keys_[j]))
      y.push_back(round_.relative(round_.read(each, a), operand));
    const Extended product = round_.sum_of_products(x, y, a);
    const Extended projected = !keeps(j) ? 0 : dropout_ && with_factor ? round_.once(factor * product, a) : product;
    all.push_back(round_.cast(projected, numerics_.gradient.stored));
  }
  return all;
}

}  // namespace attestone::emulation
