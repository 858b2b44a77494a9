// SPDX-License-Identifier: Apache-2.0
// From the kinds of scores to those of weights, log_sum_exp and O.
#include "reference/certified/forward/possible_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/certified/forward/visibility.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Scores below this, in base 2 too, overflow in no format that holds scores: f16 ends at 65504.
constexpr double score_range = 0x1p15;
// So do products of dO and V in f32.
constexpr double product_range = 0x1p100;

/// A weight below this may be taken for 0: its format may underflow, and f32 may be flushed.
double smallest_weight(const DType& input) {
  const double accumulator = (input == dtype("f64") ? input : dtype("f32")).smallest_normal();
  return std::max(2 * input.underflow(), accumulator);
}

/// More than a kernel's score may be off: rounded at every product, by a tanh of 11 bits, stored in bf16.
double score_slack(index dim, double magnitude) {
  return (1.5 * static_cast<double>(dim) + 16) * 0x1p-22 * magnitude + 0x1p-7 * magnitude;
}

}  // namespace

Possible SpecialDot::possible() const {
  if (may_flush) return Possible::infinite | Possible::minus_infinite | Possible::nan;
  if (!std::isfinite(value)) return Possible::of(value);
  if (magnitude > product_range) return Possible::anything;
  return magnitude == 0 ? Possible::zero : Possible::number;
}

SpecialDot special_dot(std::span<const double> a, std::span<const double> b, double factor, double smallest_normal) {
  SpecialDot dot;
  const double read_as = std::min(1.0, std::abs(factor));
  const auto may_be_zero = [&](double x) { return x != 0 && std::abs(x) * read_as < smallest_normal; };
  for (std::size_t c = 0; c < a.size(); ++c) {
    const double x = a[c], y = b[c];
    dot.value += x * y;
    if (std::isfinite(x) && std::isfinite(y)) dot.magnitude += std::abs(x * y);
    dot.may_flush = dot.may_flush || (std::isinf(x) && may_be_zero(y)) || (std::isinf(y) && may_be_zero(x));
  }
  return dot;
}

/// A score in double, and how large what it is made of is.
struct PossibleRow::Score {
  double value, magnitude;
  bool known, flat;

  static Score of(const Problem& problem, const SpecialDot& dot, double added) {
    const double scale = problem.scale(), raw = dot.value * scale;
    const auto cap = problem.score.softcap();
    const double size = dot.magnitude * std::max(1.0, std::abs(scale)) + (std::isfinite(added) ? std::abs(added) : 0);
    return {.value = (cap ? *cap * std::tanh(raw / *cap) : raw) + added,
            .magnitude = size,
            .known = !dot.may_flush,
            .flat = cap && std::isinf(raw)};
  }
};

PossibleRow::PossibleRow(const Problem& problem, const Inputs& inputs, const Bias& bias, const Pair& row,
                         std::span<const std::uint64_t> visible, std::span<const std::uint64_t> kept,
                         std::optional<double> sink)
    : value_dim_(static_cast<std::size_t>(problem.shape.value_dim)) {
  for_each_key(visible, [&](index key) { pairs_.push_back({key, bit(kept, key), false, false, {}}); });
  products_.resize(pairs_.size());
  values_.resize(pairs_.size() * value_dim_);
  const RowReader keys(inputs.key.view()), values(inputs.value.view());
  const index kv_head = problem.shape.kv_head(row.head);
  std::vector<double> query(static_cast<std::size_t>(problem.shape.dim)), key(query.size());
  RowReader(inputs.query.view()).read(row.batch, row.head, row.query, query);
  std::vector<Score> scores;
  scores.reserve(pairs_.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    PossiblePair& pair = pairs_[i];
    values.read(row.batch, kv_head, pair.key, std::span(values_).subspan(i * value_dim_, value_dim_));
    keys.read(row.batch, kv_head, pair.key, key);
    const SpecialDot dot = special_dot(query, key, problem.scale(), problem.input.smallest_normal());
    products_[i] = dot.value;
    scores.push_back(Score::of(problem, dot, bias ? bias.of({row.batch, row.head, row.query, pair.key}) : 0));
    pair.flat = scores.back().flat;
    in_range_ = in_range_ && scores.back().known && scores.back().magnitude < score_range;
  }
  in_range_ = in_range_ && !(std::isfinite(sink.value_or(0)) && std::abs(sink.value_or(0)) >= score_range);
  weigh(problem, scores, sink);
}

// long: NaN, infinities and the sink of a row decide together about each of its weights
void PossibleRow::weigh(const Problem& problem, const std::vector<Score>& scores, std::optional<double> sink) {
  double top = -infinity, magnitude = std::abs(sink.value_or(0));
  bool any_nan = std::isnan(sink.value_or(0)), any_plus = false, any_minus = false;
  const auto raise = [&](double score) {
    if (std::isfinite(score)) top = std::max(top, score);
  };
  if (sink) raise(*sink);
  for (const Score& score : scores) {
    raise(score.value);
    magnitude = std::max(magnitude, score.magnitude);
    any_nan = any_nan || std::isnan(score.value);
    any_plus = any_plus || score.value == infinity;
    any_minus = any_minus || score.value == -infinity;
  }
  const bool infinite_sink = sink == infinity;
  has_maximum_ = std::isfinite(top) && !any_nan && !any_plus && !infinite_sink;
  // A tile of -inf alone makes NaN of a running maximum.
  const Possible strayed = any_minus ? Possible::nan : Possible();
  const double floor = smallest_weight(problem.input);
  double total = sink ? std::exp(*sink - top) : 0;
  for (const Score& score : scores) total += std::isfinite(score.value) ? std::exp(score.value - top) : 0;
  const double slack = 1 + 2 * score_slack(problem.shape.dim, magnitude);
  const auto may_vanish = [&](double score) {
    return any_plus || infinite_sink || score == -infinity ||
           (std::isfinite(score) && std::exp(score - top - slack) / total < floor);
  };
  const auto weight = [&](double score) {
    if (any_nan) return Possible::nan;
    if (any_plus) return score == infinity ? Possible::nan : Possible::zero | Possible::nan;
    if (!has_maximum_) return Possible::zero | Possible::nan;
    if (score == -infinity) return Possible::zero | strayed;
    return Possible::positive | strayed | (may_vanish(score) ? Possible::zero : Possible());
  };
  for (std::size_t i = 0; i < scores.size(); ++i) {
    pairs_[i].weight = weight(scores[i].value);
    pairs_[i].may_be_skipped = scores[i].value < infinity && may_vanish(scores[i].value);
  }
  if (sink) sink_weight_ = infinite_sink && !any_nan && !any_plus ? Possible::positive | Possible::nan : weight(*sink);
  sink_may_be_skipped_ = sink && *sink < infinity && may_vanish(*sink);
  log_sum_exp_ = has_maximum_                ? Possible::number | strayed
                 : any_nan                   ? Possible::nan
                 : any_plus || infinite_sink ? Possible::infinite | Possible::nan
                                             : Possible::minus_infinite | Possible::nan;
  // 0 is what a kernel answers that sees the row as empty, or that rescales by a sink of +inf at the end.
  if (!has_maximum_ && !any_nan && !any_plus) out_otherwise_ = Possible::zero | Possible::nan;
}

Possible PossibleRow::out(index channel) const {
  Possible sum = Possible::zero;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const PossiblePair& pair = pairs_[i];
    const Possible v = Possible::of(value(i, channel)), product = pair.weight * v;
    if (pair.kept)
      sum += pair.may_be_skipped ? product | Possible::zero : product;
    else
      sum += (Possible::zero * product) | Possible::zero | (Possible::zero * v);
  }
  return sum | out_otherwise_;
}

}  // namespace attestone
