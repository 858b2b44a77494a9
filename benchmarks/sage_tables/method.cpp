// SPDX-License-Identifier: Apache-2.0
// Codes of the operands, then rows one by one.
#include "benchmarks/sage_tables/method.hpp"

#include <algorithm>
#include <cmath>

#include "reference/quantization/rows_as_read.hpp"

namespace attestone {
namespace {

const DType* format_of(std::string_view name) { return name.empty() ? nullptr : &dtype(name); }

double cast(double x, const DType* format) {
  return format ? format->round(x, Rounding::nearest_even, Overflow::saturate) : x;
}

/// The operands of one head as the method reads them.
struct Read {
  RowsAsRead query, key, value;
};

RowsAsRead read(const std::vector<double>& rows, index channels, const OperandCodes& codes) {
  if (codes.happen()) return rows_as_read(rows, channels, codes, dtype("f16"), 1);
  RowsAsRead all;
  all.numbers = all.before = rows;
  all.mean_rows = static_cast<index>(rows.size()) / channels;
  all.mean.resize(static_cast<std::size_t>(channels));
  return all;
}

std::vector<double> largest_of_channels(const std::vector<double>& rows, index channels) {
  std::vector<double> largest(static_cast<std::size_t>(channels));
  for (std::size_t at = 0; at < rows.size(); ++at) {
    double& of_channel = largest[at % largest.size()];
    of_channel = std::max(of_channel, std::fabs(rows[at]));
  }
  return largest;
}

/// SmoothQuant's factors make Q and K equally large in each channel.
void equalise(HeadRows& head) {
  const std::vector<double> of_query = largest_of_channels(head.query, head.dim);
  const std::vector<double> of_key = largest_of_channels(head.key, head.dim);
  for (std::size_t c = 0; c < of_key.size(); ++c) {
    const double factor = std::sqrt(of_key[c] / of_query[c]);
    for (std::size_t at = c; at < head.query.size(); at += of_key.size()) head.query[at] *= factor;
    for (std::size_t at = c; at < head.key.size(); at += of_key.size()) head.key[at] /= factor;
  }
}

/// Scores of one query; what the query lost with its mean is given back.
std::vector<double> scores(const Read& operands, index query, const HeadRows& head) {
  const auto dim = static_cast<std::size_t>(head.dim), row = static_cast<std::size_t>(query);
  const double *q = operands.query.numbers.data() + row * dim,
               *mean = operands.query.mean.data() + row / static_cast<std::size_t>(operands.query.mean_rows) * dim;
  std::vector<double> all;
  for (std::size_t at = 0; at < static_cast<std::size_t>(head.keys) * dim; at += dim) {
    double score = 0;
    for (std::size_t c = 0; c < dim; ++c)
      score += q[c] * operands.key.numbers[at + c] + mean[c] * operands.key.before[at + c];
    all.push_back(score / std::sqrt(static_cast<double>(dim)));
  }
  return all;
}

/// Weights as codes, with the largest of the row at 1 before.
void code_weights(std::vector<double>& weights, const WeightCodes& codes) {
  const DType *format = format_of(codes.format), *scale_format = format_of(codes.scale_format);
  if (codes.together == 0) {
    for (double& p : weights) p = cast(p * codes.raised, format) / codes.raised;
    return;
  }
  const double largest_code = format->largest();
  for (std::size_t first = 0; first < weights.size(); first += static_cast<std::size_t>(codes.together)) {
    const std::size_t end = std::min(weights.size(), first + static_cast<std::size_t>(codes.together));
    double largest = 0;
    for (std::size_t j = first; j < end; ++j) largest = std::max(largest, weights[j] * codes.raised);
    // Powers of two are not exceeded, others rounded (OCP MX v1.0, section 6.3).
    const bool by_powers = codes.scale_format == "e8m0";
    const double scale = by_powers ? std::exp2(std::floor(std::log2(largest)) - std::floor(std::log2(largest_code)))
                                   : cast(largest / largest_code, scale_format);
    for (std::size_t j = first; j < end; ++j) {
      const double p = weights[j] * codes.raised;
      weights[j] = scale == 0 ? 0 : cast(p / scale, format) * scale / codes.raised;
    }
  }
}

}  // namespace

std::vector<double> answer(const Method& method, const HeadRows& given) {
  HeadRows head = given;
  if (method.equalised) equalise(head);
  const Read operands{read(head.query, head.dim, method.query), read(head.key, head.dim, method.key),
                      read(head.value, head.dim, method.value)};
  std::vector<double> values = operands.value.numbers;
  if (!method.value.happen())
    for (double& v : values) v = cast(v, format_of(method.value_format));
  const auto dim = static_cast<std::size_t>(head.dim);
  std::vector<double> out;
  for (index i = 0; i < head.queries; ++i) {
    std::vector<double> weights = scores(operands, i, head);
    const double largest = *std::max_element(weights.begin(), weights.end());
    double denominator = 0;
    for (double& p : weights) denominator += p = std::exp(p - largest);
    code_weights(weights, method.weight);
    std::vector<double> row(dim);
    for (std::size_t j = 0; j < weights.size(); ++j)
      for (std::size_t c = 0; c < dim; ++c) row[c] += weights[j] * values[j * dim + c];
    for (std::size_t c = 0; c < dim; ++c) out.push_back(row[c] / denominator + operands.value.mean[c]);
  }
  return out;
}

Accuracy accuracy(const std::vector<double>& exact, const std::vector<double>& answer) {
  double product = 0, exact_squares = 0, squares = 0, difference = 0, size = 0, error_squares = 0;
  for (std::size_t at = 0; at < exact.size(); ++at) {
    const double error = answer[at] - exact[at];
    product += exact[at] * answer[at], exact_squares += exact[at] * exact[at], squares += answer[at] * answer[at];
    difference += std::fabs(error), size += std::fabs(exact[at]), error_squares += error * error;
  }
  return {.cosine = product / std::sqrt(exact_squares * squares),
          .relative_l1 = difference / size,
          .rmse = std::sqrt(error_squares / static_cast<double>(exact.size()))};
}

}  // namespace attestone
