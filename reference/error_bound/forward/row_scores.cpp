// SPDX-License-Identifier: Apache-2.0
// Scores in double, and the error that each step from q.k to the stored score adds.
#include "reference/error_bound/forward/row_scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "reference/error_bound/forward/inner_loops.hpp"
#include "reference/error_bound/rounding.hpp"

namespace attestone {
namespace {

/// Roundings of constants and products beside the sum itself (docs/tolerance.md counts them one by one).
constexpr double scale_roundings = 4;    ///< scale, log2 e, their product; the product with the score
constexpr double softcap_roundings = 5;  ///< score * scale / cap: scale, product, cap, its reciprocal, product
constexpr double uncap_roundings = 4;    ///< cap * tanh: cap, log2 e, their product; the product with tanh
constexpr double logit_roundings = 5;    ///< of a bias or sink as given: division by the scale, and the four of scale
constexpr double formula_roundings = 2;  ///< of a bias by formula: distance, slope * distance
constexpr double log2_e = 1.4426950408889634;

/// raw[j] = sum_c q_c k_jc and magnitude[j] = sum_c |q_c k_jc| for `count` keys from `from`, four channels at a time.
void products(const DecodedInputs& inputs, index batch, index head, std::vector<double> query, index from,
              std::size_t count, double* raw, double* magnitude) {
  const std::size_t dim = query.size();
  query.resize((dim + together - 1) / together * together);  // channels past the last count as zeros times the last
  for (std::size_t c = 0; c < dim; c += together) {
    const auto channel = [&](std::size_t at) {
      return inputs.key_channel(batch, head, static_cast<index>(std::min(at, dim - 1))) + from;
    };
    add_products({query[c], query[c + 1], query[c + 2], query[c + 3]},
                 {channel(c), channel(c + 1), channel(c + 2), channel(c + 3)}, count, raw, magnitude);
  }
}

/// How the error of the scaled product grows on its way through softcap, bias and storage.
class ScoreErrors {
 public:
  ScoreErrors(const Problem& problem, const Numerics& numerics)
      : score_(numerics.score),
        gradient_(numerics.gradient.accumulator),
        scale_(std::abs(problem.scale())),
        softcap_(problem.score.softcap()) {
    const double u = score_.accumulator.roundoff, operand = 1 + score_.operand_roundoff;
    chain_ = gamma(score_chain(score_, problem.shape.dim), u);
    operands_ = (operand * operand * (1 + score_.prescale.roundoff) - 1) * (1 + chain_);
    dim_ = static_cast<double>(problem.shape.dim);
    bias_ = gamma(logit_roundings + (problem.score.bias_tensor() ? 0 : formula_roundings), u);
    after_ = gamma(softcap_ ? uncap_roundings : scale_roundings, u);
  }

  /// Products and sums below the normal range, operands flushed to zero, the scaled query rounded there.
  double underflow(double query_norm, double key_norm) const {
    const double operations = (2 * dim_ + 4) * std::max(1.0, scale_);
    return score_.accumulator.underflow * (operations + (1 + scale_) * (query_norm + key_norm)) +
           score_.prescale.underflow * key_norm;
  }

  /// The error that `moved` keys, `magnitude` and underflow leave in the scaled, capped score s; `factor` is what the
  /// chain grew by.
  double scaled(double s, double moved, double magnitude, double underflow, double& factor) const {
    const double after = after_;
    const double raw = moved + (chain_ + operands_) * magnitude + underflow;
    factor = 1 + after;
    if (!softcap_) return raw * factor + after * std::abs(s);
    // tanh' <= 1 carries the error; a relative error d of the argument z moves tanh z by at most d (1 + d) |tanh z|.
    const double argument = gamma(softcap_roundings, score_.accumulator.roundoff);
    factor *= (1 + argument) * (1 + score_.tanh_error);
    const double relative = argument * (1 + argument) * (1 + score_.tanh_error) + score_.tanh_error;
    const double absolute = s == 0 && raw == 0 ? 0 : *softcap_ * score_.tanh_absolute_error * (1 + argument);
    return raw * factor + (relative * (1 + after) + after) * std::abs(s) + absolute * (1 + after);
  }

  /// t taken from the stored score: its error, a reciprocal and a product.
  double tanh_from_score(double error, double s, double softcap) const {
    const double divided = gamma(2, gradient_.roundoff);
    return ((error + stored(s, s)) * (1 + divided) + divided * std::abs(s)) / softcap;
  }

  double biased(double error, double bias, double sum) const {
    const double own = bias_ * std::abs(bias) + logit_underflow(bias);
    return error + own + score_.accumulator.roundoff * (std::abs(sum) + error + own);
  }

  double sink(double logit) const {
    return gamma(logit_roundings, score_.accumulator.roundoff) * std::abs(logit) + logit_underflow(logit);
  }

  double stored(double before_bias, double sum) const {
    return score_.stored.roundoff * std::max(std::abs(before_bias), std::abs(sum)) +
           score_.stored.underflow * std::max(1.0, scale_);
  }

  /// True if the sum q.k (`raw`, `raw_magnitude`) and the score made of it, in either base, stay finite in the
  /// accumulator and where they are stored.
  bool in_range(double raw, double raw_magnitude, double sum, double error) const {
    const double largest_sum = raw_magnitude * (1 + chain_ + operands_) * std::max(1.0, scale_);
    const double largest_raw = std::abs(raw) + raw_magnitude * (chain_ + operands_);
    return (largest_sum + std::abs(sum) + error) * log2_e <= score_.accumulator.largest &&
           std::max(largest_raw, std::abs(sum) + error) <= score_.stored.largest;
  }

  double chain() const { return chain_; }

 private:
  /// A logit read, divided by the scale, multiplied and added below the normal range.
  double logit_underflow(double logit) const {
    return logit == 0 ? 0 : 4 * score_.accumulator.underflow * std::max(1.0, scale_);
  }

  const ScoreStage& score_;
  const Accumulator& gradient_;
  double scale_, chain_, operands_, dim_, bias_, after_;
  std::optional<double> softcap_;
};

/// sum_c |q_c|, sum_c |k_c|, max_c |k_c|, and |q' k' - q k| of what a kernel may read as the row and the key.
struct Norms {
  double query, key, largest_in_key, slack;
};

/// An upper bound of sum_c |q_c| |k'_c - k_c|.
double moved_by(const RowCast& cast, Norms norms, double raw_magnitude) {
  return cast.roundoff * raw_magnitude + (cast.of_largest * norms.largest_in_key + cast.underflow) * norms.query;
}
/// sum_c |k'_c| at most.
double largest_norm(const RowCast& cast, Norms norms, index dim) {
  return norms.key * (1 + cast.roundoff) +
         (cast.of_largest * norms.largest_in_key + cast.underflow) * static_cast<double>(dim);
}

/// One key: its score, and what each step adds to the error.
void add_score(const DecodedInputs& inputs, const ScoreErrors& errors, const Numerics& numerics, const Pair& pair,
               double scale, Norms norms, double raw, double raw_magnitude, RowScores& row) {
  const Problem& problem = inputs.problem();
  // Where every product is exactly zero, so is that with a rounded key.
  const double raw_moved = (raw_magnitude == 0 ? 0 : moved_by(numerics.score.keys, norms, raw_magnitude)) + norms.slack;
  raw_magnitude += raw_moved;
  const double a = std::abs(scale) * raw_magnitude;
  double s = scale * raw;
  if (const auto softcap = problem.score.softcap()) s = *softcap * std::tanh(s / *softcap);
  const double before_bias = s;
  // Where every product is exactly zero, so is the kernel's score.
  const double key_norm = largest_norm(numerics.score.keys, norms, problem.shape.dim);
  const double underflow = a == 0 ? 0 : errors.underflow(norms.query, key_norm);
  double factor = 1;
  double error = errors.scaled(s, std::abs(scale) * raw_moved, a, underflow, factor);
  if (const auto softcap = problem.score.softcap()) {
    row.tanh.push_back(s / *softcap);
    row.tanh_error.push_back(errors.tanh_from_score(error, s, *softcap));
  }
  if (inputs.bias()) {
    const double bias = inputs.bias().of(pair);
    s += bias;
    error = errors.biased(error, bias, s);
    factor *= 1 + numerics.score.accumulator.roundoff;
    row.bias.push_back(std::abs(bias));
  } else {
    row.bias.push_back(0);
  }
  const double stored =
      s == 0 && error == 0 ? 0 : errors.stored(before_bias, s) + numerics.score.stored.roundoff * error;
  row.score.push_back(s);
  row.magnitude.push_back(a);
  row.chain.push_back(errors.chain() * a * factor);
  row.stored.push_back(stored);
  row.error.push_back(error + stored);
  row.in_range = row.in_range && errors.in_range(raw, raw_magnitude, s, row.error.back());
}

/// The sink, behind the keys: no product, no softcap, no bias.
void add_sink(const ScoreErrors& errors, const Numerics& numerics, double logit, RowScores& row) {
  const double error = errors.sink(logit);
  const double stored = logit == 0 ? 0 : errors.stored(logit, logit) + numerics.score.stored.roundoff * error;
  row.score.push_back(logit);
  row.magnitude.push_back(0);
  row.chain.push_back(0);
  row.stored.push_back(stored);
  row.error.push_back(error + stored);
  row.bias.push_back(std::abs(logit));
  row.in_range = row.in_range && errors.in_range(0, 0, logit, row.error.back());
}

void add_keys(const DecodedInputs& inputs, const ScoreErrors& errors, const Numerics& numerics, const Pair& first,
              RowScores& row) {
  const std::vector<double> q = inputs.query(first.batch, first.head, first.query);
  double query_norm = 0;
  for (const double x : q) query_norm += std::abs(x);
  const index end = row.keys.back() + 1;
  std::vector<double> raw(static_cast<std::size_t>(end - first.key)), magnitude(raw.size());
  products(inputs, first.batch, first.head, q, first.key, raw.size(), raw.data(), magnitude.data());
  const double scale = inputs.problem().scale();
  const double* key_norms = inputs.key_norms(first.batch, first.head);
  const double* largest = inputs.largest_in_keys(first.batch, first.head);
  for (const index key : row.keys) {
    const auto at = static_cast<std::size_t>(key - first.key);
    const Pair pair{first.batch, first.head, first.query, key};
    add_score(inputs, errors, numerics, pair, scale,
              {query_norm, key_norms[key], largest[key], inputs.score_slack(pair, q)}, raw[at], magnitude[at], row);
  }
}

}  // namespace

double score_chain(const ScoreStage& stage, index dim) {
  if (stage.exact_products) return 1;
  return roundings_of_sum(static_cast<double>(dim), stage.accumulator.truncates) + 1;
}

std::vector<std::size_t> ranks(std::span<const double> score) {
  std::vector<std::size_t> order(score.size()), rank(score.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return score[a] < score[b]; });
  for (std::size_t place = 0; place < order.size(); ++place) rank[order[place]] = place;
  return rank;
}

RowScores row_scores(const DecodedInputs& inputs, const Numerics& numerics, index batch, index head, index query) {
  RowScores row;
  row.keys = inputs.visible_keys(batch, head, query);
  for (auto* list : {&row.score, &row.magnitude, &row.error, &row.chain, &row.stored, &row.bias})
    list->reserve(row.keys.size() + 1);
  const ScoreErrors errors(inputs.problem(), numerics);
  if (!row.keys.empty()) add_keys(inputs, errors, numerics, {batch, head, query, row.keys.front()}, row);
  if (const auto logit = inputs.sink(head)) add_sink(errors, numerics, *logit, row);
  if (numerics.weight.bounded_maximum.largest > 0) {
    double squares = 0;
    for (const double x : inputs.query(batch, head, query)) squares += x * x;
    row.norm_bound = std::abs(inputs.problem().scale()) * std::sqrt(squares) * inputs.largest_key_norm(head);
  }
  return row;
}

}  // namespace attestone
