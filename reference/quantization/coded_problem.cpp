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

Problem on_codes(const Problem& original, const Numerics& numerics) {
  Problem problem = original;
  problem.drop_gradients();
  problem.pack();
  problem.input = dtype("f64");
  problem.formats.clear();
  problem.value_is_key = false;
  // Codes of the query hold the scale and log2 e already: q k counts powers of 2.
  problem.given_scale = numerics.score.scaled_before_codes ? std::numbers::ln2 : original.scale();
  return problem;
}

/// Every number, exactly.
void copy_numbers(const ConstView& from, const View& to) {
  for_each_element(from, [&](index b, index h, index r, index c) { to.set(b, h, r, c, from.value(b, h, r, c)); });
}

/// The rows that each sequence really has, head by head; all others are copied.
template <class Rows, class Visit>
void code_operand(const ConstView& from, const View& to, const OperandCodes& codes, double factor, const Rows& rows_of,
                  const Visit& visit) {
  copy_numbers(from, to);
  if (!codes.happen()) return;
  const auto& [batches, heads, rows, channels] = to.extents();
  const auto width = static_cast<std::size_t>(channels);
  const RowReader reader(from);
  for (index b = 0; b < batches; ++b)
    for (index h = 0; h < heads; ++h) {
      const index count = rows_of(b);
      std::vector<double> numbers(static_cast<std::size_t>(count) * width);
      for (index r = 0; r < count; ++r)
        reader.read(b, h, r, std::span(numbers).subspan(static_cast<std::size_t>(r) * width, width));
      const RowsAsRead read = rows_as_read(numbers, channels, codes, from.dtype(), factor);
      for (index r = 0; r < count; ++r)
        for (index c = 0; c < channels; ++c)
          to.set(b, h, r, c, read.numbers[static_cast<std::size_t>(r) * width + static_cast<std::size_t>(c)]);
      visit(read);
    }
}

}  // namespace

bool computes_with_codes(const Numerics& numerics) {
  return numerics.score.query_codes.happen() || numerics.score.key_codes.happen() || numerics.value.codes.happen();
}

Numerics without_codes(Numerics numerics) {
  numerics.score.query_codes = numerics.score.key_codes = numerics.value.codes = {};
  numerics.score.scaled_before_codes = false;
  return numerics;
}

CodedProblem::CodedProblem(const Problem& original, const Inputs& given, const Numerics& numerics)
    : problem_(on_codes(original, numerics)), inputs_(problem_) {
  const ScoreStage& score = numerics.score;
  const auto queries_of = [&](index b) { return original.sequence(b).queries; };
  const auto keys_of = [&](index b) { return original.sequence(b).keys; };
  const auto nothing = [](const RowsAsRead&) {};
  const double factor = score.scaled_before_codes ? original.scale() * log2_e : 1;
  code_operand(given.query.view(), inputs_.query.view(), score.query_codes, factor, queries_of, nothing);
  const bool centred = score.key_codes.centring != Centring::none;
  const auto slack_of_a_head = static_cast<std::size_t>(original.shape.keys * original.shape.dim);
  std::size_t heads = 0;
  code_operand(given.key.view(), inputs_.key.view(), score.key_codes, 1, keys_of, [&](const RowsAsRead& read) {
    if (centred) means_.insert(means_.end(), read.mean.begin(), read.mean.end());
    if (centred) gaps_.insert(gaps_.end(), read.mean_gap.begin(), read.mean_gap.end());
    if (!read.slack.empty()) {
      key_slack_.resize(static_cast<std::size_t>(original.shape.batch * original.shape.kv_heads) * slack_of_a_head);
      std::ranges::copy(read.slack, key_slack_.begin() + static_cast<std::ptrdiff_t>(heads * slack_of_a_head));
    }
    ++heads;
  });
  code_operand(given.value.view(), inputs_.value.view(), numerics.value.codes, 1, keys_of, nothing);
  if (given.bias) copy_numbers(given.bias->view(), inputs_.bias->view());
  if (given.sink) copy_numbers(given.sink->view(), inputs_.sink->view());
  if (centred) queries_ = packed_values(given.query.view());
}

CodedProblem::MeanProduct CodedProblem::mean_product(index batch, index head, index query) const {
  if (means_.empty()) return {};
  const Shape& shape = problem_.shape;
  const double* q = queries_.data() + ((batch * shape.heads + head) * shape.queries + query) * shape.dim;
  const index first = (batch * shape.kv_heads + shape.kv_head(head)) * shape.dim;
  const double *mean = means_.data() + first, *gap = gaps_.data() + first;
  MeanProduct product;
  for (index c = 0; c < shape.dim; ++c) {
    product.value += q[c] * mean[c];
    product.size += std::abs(q[c]) * (std::abs(mean[c]) + gap[c]);
    product.gap += std::abs(q[c]) * gap[c];
  }
  return product;
}

}  // namespace attestone
