// SPDX-License-Identifier: Apache-2.0
// Operands by their codes, sequence by sequence and head by head.
#include "reference/quantization/coded_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reference/quantization/rows_as_read.hpp"
#include "reference/row_reader.hpp"

namespace attestone {
namespace {

/// log2 e, as SageAttention writes it.
constexpr double log2_e = 1.44269504;

/// Whether a mean that Q lost is multiplied by K apart, and added to the scores.
bool gives_query_mean_back(const ScoreStage& score) {
  return score.query_codes.happen() && score.query_codes.centring != Centring::none && score.key_codes.happen();
}

Problem on_codes(const Problem& original, const Numerics& numerics) {
  Problem problem = original;
  problem.drop_gradients();
  problem.pack();
  problem.input = dtype("f64");
  problem.formats.clear();
  problem.value_is_key = false;
  // Codes of the query hold the scale and log2 e already: q k counts powers of 2.
  problem.given_scale = numerics.score.scaled_before_codes ? std::numbers::ln2 : original.scale();
  if (gives_query_mean_back(numerics.score)) problem.shape.dim *= 2;
  return problem;
}

/// Every number, exactly.
void copy_numbers(const ConstView& from, const View& to) {
  for_each_element(from, [&](index b, index h, index r, index c) { to.set(b, h, r, c, from.value(b, h, r, c)); });
}

/// Appends the first so many rows of a head.
void append_rows(std::vector<double>& numbers, const RowReader& reader, index batch, index head, index rows,
                 std::size_t width) {
  std::size_t at = numbers.size();
  numbers.resize(at + static_cast<std::size_t>(rows) * width);
  for (index r = 0; r < rows; ++r, at += width) reader.read(batch, head, r, std::span(numbers).subspan(at, width));
}

/// Calls visit(batch, head, rows as read) for the rows that each sequence really has.
template <class RowsOf, class Visit>
void for_each_coded_head(const ConstView& from, const OperandCodes& codes, double factor, const RowsOf& rows_of,
                         const Visit& visit) {
  if (!codes.happen()) return;
  const auto& [batches, heads, rows, channels] = from.extents();
  const auto width = static_cast<std::size_t>(channels);
  const RowReader reader(from);
  std::vector<std::vector<double>> of_batch(static_cast<std::size_t>(heads));
  for (index b = 0; codes.mean_of_batch && b < batches; ++b)
    for (index h = 0; h < heads; ++h)
      append_rows(of_batch[static_cast<std::size_t>(h)], reader, b, h, rows_of(b), width);
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h) {
      std::vector<double> numbers;
      append_rows(numbers, reader, b, h, rows_of(b), width);
      visit(b, h, rows_as_read(numbers, channels, codes, from.dtype(), factor, of_batch[static_cast<std::size_t>(h)]));
    }
}

/// Writes the slack of the rows of one head, `channels` numbers each, into that of all, [batch, heads, rows, width].
void write_slack(std::vector<double>& all, const ConstView& of, index batch, index head, std::span<const double> slack,
                 index channels, index first = 0) {
  if (slack.empty()) return;
  const auto& [batches, heads, rows, width] = of.extents();
  all.resize(static_cast<std::size_t>(batches * heads * rows * width));
  double* own = all.data() + (batch * heads + head) * rows * width;
  for (std::size_t at = 0; at < slack.size(); ++at) {
    const auto place = static_cast<index>(at);
    own[place / channels * width + first + place % channels] = slack[at];
  }
}

/// Writes rows of `channels` numbers, the first of them into this channel.
void write_rows(const View& to, index batch, index head, std::span<const double> numbers, index channels,
                index first = 0) {
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    const auto place = static_cast<index>(at);
    to.set(batch, head, place / channels, first + place % channels, numbers[at]);
  }
}

}  // namespace

bool computes_with_codes(const Numerics& numerics) {
  return numerics.score.query_codes.happen() || numerics.score.key_codes.happen() || numerics.value.codes.happen();
}

Numerics without_codes(Numerics numerics) {
  // The sum with a mean of V is rounded, which is as if each product was once more.
  if (numerics.value.codes.happen() && numerics.value.codes.centring != Centring::none)
    numerics.value.operand_roundoff += numerics.output.accumulator.roundoff;
  numerics.score.query_codes = numerics.score.key_codes = numerics.value.codes = {};
  numerics.score.scaled_before_codes = false;
  // What a product with the mean of Q loses below the normal numbers, its score does.
  numerics.score.stored.underflow += numerics.score.query_mean_product.underflow;
  return numerics;
}

CodedProblem::CodedProblem(const Problem& original, const Inputs& given, const Numerics& numerics)
    : problem_(on_codes(original, numerics)), inputs_(problem_), dim_(original.shape.dim) {
  inputs_.query.fill_code(0);
  inputs_.key.fill_code(0);
  copy_numbers(given.query.view(), inputs_.query.view());
  copy_numbers(given.key.view(), inputs_.key.view());
  copy_numbers(given.value.view(), inputs_.value.view());
  if (given.bias) copy_numbers(given.bias->view(), inputs_.bias->view());
  if (given.sink) copy_numbers(given.sink->view(), inputs_.sink->view());
  take_queries(original, given, numerics.score);
  take_keys(original, given, numerics.score);
  take_values(original, given, numerics.value.codes);
}

void CodedProblem::take_queries(const Problem& original, const Inputs& given, const ScoreStage& score) {
  const double factor = score.scaled_before_codes ? original.scale() * log2_e : 1;
  for_each_coded_head(
      given.query.view(), score.query_codes, factor, [&](index b) { return original.sequence(b).queries; },
      [&](index b, index h, const RowsAsRead& read) {
        write_rows(inputs_.query.view(), b, h, read.numbers, dim_);
        write_slack(query_slack_, inputs_.query.view(), b, h, read.slack, dim_);
        if (!gives_query_mean_back(score)) return;
        // The mean of each row, as far as there are rows.
        std::vector<double> means(read.numbers.size());
        for (std::size_t at = 0; at < means.size(); ++at) {
          const auto row = static_cast<index>(at) / dim_;
          means[at] =
              factor *
              read.mean[static_cast<std::size_t>(row / read.mean_rows * dim_) + at % static_cast<std::size_t>(dim_)];
        }
        write_rows(inputs_.query.view(), b, h, means, dim_, dim_);
      });
}

void CodedProblem::take_keys(const Problem& original, const Inputs& given, const ScoreStage& score) {
  const bool given_back = gives_query_mean_back(score), centred = score.key_codes.centring != Centring::none;
  for_each_coded_head(
      given.key.view(), score.key_codes, 1, [&](index b) { return original.sequence(b).keys; },
      [&](index b, index h, const RowsAsRead& read) {
        write_rows(inputs_.key.view(), b, h, read.numbers, dim_);
        write_slack(key_slack_, inputs_.key.view(), b, h, read.slack, dim_);
        if (centred) means_.insert(means_.end(), read.mean.begin(), read.mean.end());
        if (centred) gaps_.insert(gaps_.end(), read.mean_gap.begin(), read.mean_gap.end());
        if (!given_back) return;
        // The mean of a query is multiplied by K itself.
        write_rows(inputs_.key.view(), b, h, read.before, dim_, dim_);
        std::vector<double> roundings;
        for (const double x : read.before) roundings.push_back(score.query_mean_product.roundoff * std::abs(x));
        write_slack(key_slack_, inputs_.key.view(), b, h, roundings, dim_, dim_);
      });
  if (centred) queries_ = packed_values(given.query.view());
}

void CodedProblem::take_values(const Problem& original, const Inputs& given, const OperandCodes& codes) {
  const index channels = original.shape.value_dim;
  for_each_coded_head(
      given.value.view(), codes, 1, [&](index b) { return original.sequence(b).keys; },
      [&](index b, index h, const RowsAsRead& read) {
        write_rows(inputs_.value.view(), b, h, read.numbers, channels);
        write_slack(value_slack_, inputs_.value.view(), b, h, read.slack, channels);
        if (codes.centring == Centring::none) return;
        value_means_.insert(value_means_.end(), read.mean.begin(), read.mean.end());
        value_gaps_.insert(value_gaps_.end(), read.mean_gap.begin(), read.mean_gap.end());
      });
}

CodedProblem::ValueMean CodedProblem::value_mean(index batch, index head, index channel) const {
  if (value_means_.empty()) return {};
  const Shape& shape = problem_.shape;
  const auto at = static_cast<std::size_t>((batch * shape.kv_heads + shape.kv_head(head)) * shape.value_dim + channel);
  return {value_means_[at], value_gaps_[at]};
}

CodedProblem::MeanProduct CodedProblem::mean_product(index batch, index head, index query) const {
  if (means_.empty()) return {};
  const Shape& shape = problem_.shape;
  const double* q = queries_.data() + ((batch * shape.heads + head) * shape.queries + query) * dim_;
  const index first = (batch * shape.kv_heads + shape.kv_head(head)) * dim_;
  const double *mean = means_.data() + first, *gap = gaps_.data() + first;
  MeanProduct product;
  for (index c = 0; c < dim_; ++c) {
    product.value += q[c] * mean[c];
    product.size += std::abs(q[c]) * (std::abs(mean[c]) + gap[c]);
    product.gap += std::abs(q[c]) * gap[c];
  }
  return product;
}

}  // namespace attestone
