// SPDX-License-Identifier: Apache-2.0
// Operands by their codes, sequence by sequence and head by head.
#include "reference/quantization/coded_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "reference/quantization/rows_as_read.hpp"
#include "reference/tensor/row_reader.hpp"

namespace attestone {
namespace {

/// log2 e, as SageAttention writes it.
constexpr double log2_e = 1.44269504;

/// True if a mean that Q lost is multiplied by K apart, and added to the scores.
bool gives_query_mean_back(const ScoreStage& score) {
  return score.query_codes.happen() && score.query_codes.centring != Centring::none && score.key_codes.happen();
}

/// True if K loses a mean of its own in each part, so that scores of one row lack different products.
bool gives_means_of_parts_back(const OperandCodes& keys) {
  return keys.happen() && keys.centring != Centring::none && keys.parts > 1;
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
  problem.shape.dim *= 1 + (gives_query_mean_back(numerics.score) ? 1 : 0) +
                       (gives_means_of_parts_back(numerics.score.key_codes) ? 1 : 0);
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

/// Some rows of a head.
struct Place {
  index batch, head, row;  ///< the first of them
};

/// Calls visit(place, rows as read) for each part of the rows that each sequence really has.
template <class RowsOf, class Visit>
void for_each_coded_part(const ConstView& from, const OperandCodes& codes, double factor, const RowsOf& rows_of,
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
      const index parts = std::max<index>(codes.parts, 1), size = rows_of(b) / parts, larger = rows_of(b) % parts;
      for (index part = 0, row = 0; part < parts; ++part) {
        const index count = size + (part < larger ? 1 : 0);
        const std::span<const double> own =
            std::span(numbers).subspan(static_cast<std::size_t>(row) * width, static_cast<std::size_t>(count) * width);
        visit(Place{b, h, row},
              rows_as_read(own, channels, codes, from.dtype(), factor, of_batch[static_cast<std::size_t>(h)]));
        row += count;
      }
    }
}

/// Writes the slack of rows of `channels` numbers each into that of all, [batch, heads, rows, width].
void write_slack(std::vector<double>& all, const ConstView& of, const Place& to, std::span<const double> slack,
                 index channels, index first = 0) {
  if (slack.empty()) return;
  const auto& [batches, heads, rows, width] = of.extents();
  all.resize(static_cast<std::size_t>(batches * heads * rows * width));
  double* own = all.data() + ((to.batch * heads + to.head) * rows + to.row) * width;
  for (std::size_t at = 0; at < slack.size(); ++at) {
    const auto place = static_cast<index>(at);
    own[place / channels * width + first + place % channels] = slack[at];
  }
}

/// Writes rows of `channels` numbers, the first of them into this channel.
void write_rows(const View& to, const Place& at_rows, std::span<const double> numbers, index channels,
                index first = 0) {
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    const auto place = static_cast<index>(at);
    to.set(at_rows.batch, at_rows.head, at_rows.row + place / channels, first + place % channels, numbers[at]);
  }
}

/// A factor that leaves no product finite, but that with 0.
constexpr double beyond_all = std::numeric_limits<double>::max();

/// True if the product of every query that reads a kv head with this mean is a number of its format.
bool products_stay(const Shape& shape, const ConstView& query, const Place& keys, std::span<const double> mean,
                   const Cast& format) {
  const index group = shape.heads / shape.kv_heads;
  for (index h = keys.head * group; format.largest > 0 && h < (keys.head + 1) * group; ++h)
    for (index r = 0; r < query.rows(keys.batch); ++r) {
      double size = 0;
      for (std::size_t c = 0; c < mean.size(); ++c)
        size += std::abs(query.value(keys.batch, h, r, static_cast<index>(c)) * mean[c]);
      if (size > format.largest / 2) return false;
    }
  return true;
}

/// Spreads what belongs to the mean of each row, row by row: `of_means` is RowsAsRead::mean or mean_gap.
std::vector<double> row_by_row(const RowsAsRead& read, std::span<const double> of_means, index channels) {
  std::vector<double> all(read.before.size());
  for (std::size_t at = 0; at < all.size(); ++at) {
    const index mean = static_cast<index>(at) / channels / read.mean_rows;
    all[at] = of_means[static_cast<std::size_t>(mean * channels) + at % static_cast<std::size_t>(channels)];
  }
  return all;
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
  // A score loses what its product with the mean of Q loses below the normal numbers.
  numerics.score.stored.underflow += numerics.score.query_mean_product.underflow;
  return numerics;
}

double mean_product_roundoff(const ScoreStage& score, index dim) {
  // The sum in f32, the scale, its product, and those of log2 e and back.
  const double chain = std::expm1((static_cast<double>(dim) + 4) * score.accumulator.roundoff);
  return chain + score.mean_product.roundoff * (1 + chain);
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
  const View query = inputs_.query.view();
  if (gives_means_of_parts_back(score.key_codes))
    for_each_element(given.query.view(), [&](index b, index h, index r, index c) {
      query.set(b, h, r, problem_.shape.dim - dim_ + c, factor * given.query.view().value(b, h, r, c));
    });
  for_each_coded_part(
      given.query.view(), score.query_codes, factor, [&](index b) { return original.sequence(b).queries; },
      [&](const Place& at, const RowsAsRead& read) {
        write_rows(query, at, read.numbers, dim_);
        write_slack(query_slack_, query, at, read.slack, dim_);
        if (!gives_query_mean_back(score)) return;
        std::vector<double> means = row_by_row(read, read.mean, dim_);
        for (double& mean : means) mean *= factor;
        write_rows(query, at, means, dim_, dim_);
      });
}

void CodedProblem::take_keys(const Problem& original, const Inputs& given, const ScoreStage& score) {
  const bool centred = score.key_codes.centring != Centring::none;
  const bool of_parts = gives_means_of_parts_back(score.key_codes), of_queries = gives_query_mean_back(score);
  const View key = inputs_.key.view();
  // Writes the terms that scores get back, the share that rounding takes, and a kernel's further distance from them.
  const auto give_back = [&](const Place& at, index first, std::span<const double> numbers, double share,
                             std::vector<double> slack) {
    write_rows(key, at, numbers, dim_, first);
    for (std::size_t i = 0; i < numbers.size(); ++i) slack[i] += share * (std::abs(numbers[i]) + slack[i]);
    write_slack(key_slack_, key, at, slack, dim_, first);
  };
  for_each_coded_part(
      given.key.view(), score.key_codes, 1, [&](index b) { return original.sequence(b).keys; },
      [&](const Place& at, const RowsAsRead& read) {
        write_rows(key, at, read.numbers, dim_);
        write_slack(key_slack_, key, at, read.slack, dim_);
        if (of_queries)
          give_back(at, dim_, read.before, score.query_mean_product.roundoff, std::vector<double>(read.before.size()));
        if (of_parts) {
          std::vector<double> gaps = row_by_row(read, read.mean_gap, dim_);
          if (!products_stay(original.shape, given.query.view(), at, read.mean, score.mean_product))
            gaps.assign(gaps.size(), beyond_all);
          return give_back(at, problem_.shape.dim - dim_, row_by_row(read, read.mean, dim_),
                           mean_product_roundoff(score, dim_), std::move(gaps));
        }
        if (!centred) return;
        means_.insert(means_.end(), read.mean.begin(), read.mean.end());
        gaps_.insert(gaps_.end(), read.mean_gap.begin(), read.mean_gap.end());
      });
  if (centred && !of_parts) queries_ = packed_values(given.query.view());
}

void CodedProblem::take_values(const Problem& original, const Inputs& given, const OperandCodes& codes) {
  const index channels = original.shape.value_dim;
  const View value = inputs_.value.view();
  for_each_coded_part(
      given.value.view(), codes, 1, [&](index b) { return original.sequence(b).keys; },
      [&](const Place& at, const RowsAsRead& read) {
        write_rows(value, at, read.numbers, channels);
        write_slack(value_slack_, value, at, read.slack, channels);
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
