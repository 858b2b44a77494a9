// SPDX-License-Identifier: Apache-2.0
// Rows of weights, then sums over them.
#include "conformance/diagnosis/definition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/tensor/row_reader.hpp"

namespace attestone::inline conformance {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t place(index batch, index head, index row, index channel, index heads, index rows, index channels) {
  return static_cast<std::size_t>(((batch * heads + head) * rows + row) * channels + channel);
}

}  // namespace

/// The pairs that one query sees: their places, weights before and after the denominator, and scores.
struct Definition::Row {
  std::vector<index> keys;
  std::vector<double> score, weight;
  double largest = -infinity, sum = 0;
};

Definition::Definition(const Problem& p, const Inputs& in)
    : problem(p),
      inputs(in),
      bias(p, in),
      dropout(p),
      scale(p.scale()),
      cap(p.score.softcap()),
      query_factor(p.scale()),
      key_factor(p.scale()),
      query_(packed_values(in.query.view())),
      key_(packed_values(in.key.view())),
      value_(packed_values(in.value.view())) {
  if (in.dout) dout_ = packed_values(in.dout->view());
  sees = sees_back = [this](const Pair& at) { return problem.visible(at); };
  key_of = value_of = [this](const Pair& at) { return KeyPlace{at.batch, problem.shape.kv_head(at.head), at.key}; };
  times = counted = [](const Pair&) { return 1.0; };
  score = [this](const Pair& at, double q_k) { return capped(scale * q_k) + (bias ? bias.of(at) : 0); };
  sink = [this](index head) {
    return inputs.sink ? std::optional(inputs.sink->view().value(0, head, 0, 0)) : std::nullopt;
  };
  kept = kept_back = [this](const Pair& at) { return dropout ? (dropout.keeps(at) ? dropout.factor() : 0) : 1; };
  log_sum_exp = [](double largest, double sum) { return largest + std::log(sum); };
  weight_back = [](double s, double L) { return std::exp(s - L); };
  query_slope = key_slope = [this](double out_of_cap) { return cap ? 1 - out_of_cap / *cap * (out_of_cap / *cap) : 1; };
  reaches_keys = [](index) { return true; };
}

double Definition::capped(double raw) const { return cap ? *cap * std::tanh(raw / *cap) : raw; }

double Definition::dot(const std::vector<double>& rows, const KeyPlace& at, index channels, const double* x) const {
  const double* row =
      &rows[place(at.batch, at.kv_head, at.key, 0, problem.shape.kv_heads, problem.shape.keys, channels)];
  double sum = 0;
  for (index c = 0; c < channels; ++c) sum += row[c] * x[c];
  return sum;
}

const double* Definition::query_row(const std::vector<double>& rows, index batch, index head, index query,
                                    index channels) const {
  return &rows[place(batch, head, query, 0, problem.shape.heads, problem.shape.queries, channels)];
}

Definition::Row Definition::row(index batch, index head, index query, const Seen& seen) const {
  Row row;
  const double* q = query_row(query_, batch, head, query, problem.shape.dim);
  for (index j = 0; j < problem.shape.keys; ++j) {
    const Pair at{batch, head, query, j};
    if (!seen(at)) continue;
    const double s = score(at, dot(key_, key_of(at), problem.shape.dim, q));
    if (s == -infinity) continue;
    row.keys.push_back(j);
    row.score.push_back(s);
    row.largest = std::max(row.largest, s);
  }
  const std::optional<double> logit = row.keys.empty() && !sink(head) ? std::nullopt : sink(head);
  if (logit) row.largest = std::max(row.largest, *logit);
  if (keys_of_zeros > 0) row.largest = std::max(row.largest, 0.0);
  for (std::size_t k = 0; k < row.keys.size(); ++k) {
    const Pair at{batch, head, query, row.keys[k]};
    const double e = times(at) * std::exp(row.score[k] - row.largest);
    row.weight.push_back(e);
    row.sum += counted(at) * e;
  }
  if (logit) row.sum += std::exp(*logit - row.largest);
  if (keys_of_zeros > 0) row.sum += static_cast<double>(keys_of_zeros) * std::exp(-row.largest);
  return row;
}

/// The wrong axis: what a key's weights add up to becomes the denominator.
void Definition::normalise_over_queries(std::vector<Row>& rows) const {
  std::vector<double> sums(static_cast<std::size_t>(problem.shape.keys));
  for (const Row& row : rows)
    for (std::size_t k = 0; k < row.keys.size(); ++k)
      sums[static_cast<std::size_t>(row.keys[k])] += std::exp(row.score[k]);
  for (Row& row : rows)
    for (std::size_t k = 0; k < row.keys.size(); ++k)
      row.weight[k] = row.sum * std::exp(row.score[k]) / sums[static_cast<std::size_t>(row.keys[k])];
}

std::vector<Definition::Row> Definition::rows_of(index batch, index head) const {
  std::vector<Row> rows;
  for (index i = 0; i < problem.shape.queries; ++i) rows.push_back(row(batch, head, i, sees));
  if (over_queries) normalise_over_queries(rows);
  return rows;
}

DefinedAnswer Definition::forward() const {
  const Shape& s = problem.shape;
  DefinedAnswer answer;
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h) {
      const std::vector<Row> rows = rows_of(b, h);
      for (index i = 0; i < s.queries; ++i) {
        const Row& row = rows[static_cast<std::size_t>(i)];
        std::vector<double> out(static_cast<std::size_t>(s.value_dim));
        const auto add = [&](index key, double weight) {
          const KeyPlace at = value_of({b, h, i, key});
          for (index c = 0; c < s.value_dim; ++c)
            out[static_cast<std::size_t>(c)] +=
                weight * value_[place(at.batch, at.kv_head, at.key, c, s.kv_heads, s.keys, s.value_dim)];
        };
        const double denominator = normalised && row.sum > 0 ? row.sum : 1;
        for (std::size_t k = 0; k < row.keys.size(); ++k)
          add(row.keys[k], kept({b, h, i, row.keys[k]}) * row.weight[k] / denominator);
        const Sequence real = problem.sequence(b);
        if (row.keys.empty() && empty_rows_average && i < real.queries)
          for (index j = 0; j < real.keys; ++j) add(j, 1 / static_cast<double>(real.keys));
        for (const double x : out) answer.out.push_back(out_factor * x);
        answer.log_sum_exp.push_back(row.sum == 0 ? -infinity : log_sum_exp(row.largest, row.sum));
      }
    }
  return answer;
}

DefinedGradients Definition::backward() const {
  const Shape& s = problem.shape;
  DefinedGradients all{std::vector<double>(query_.size()), std::vector<double>(key_.size()),
                       std::vector<double>(value_.size())};
  for (index b = 0; b < s.batch; ++b)
    for (index h = 0; h < s.heads; ++h) {
      const std::vector<Row> rows = rows_of(b, h);
      for (index i = 0; i < s.queries; ++i) {
        const Row& row = rows[static_cast<std::size_t>(i)];
        const double* dout = query_row(dout_, b, h, i, s.value_dim);
        const Row known = saved ? this->row(b, h, i, saved) : row;
        const double L = known.largest + std::log(known.sum);
        double delta = 0;
        for (std::size_t k = 0; k < known.keys.size(); ++k) {
          const Pair at{b, h, i, known.keys[k]};
          delta += kept(at) * known.weight[k] / known.sum * dot(value_, value_of(at), s.value_dim, dout);
        }
        for (std::size_t k = 0; k < row.keys.size(); ++k) {
          const Pair at{b, h, i, row.keys[k]};
          if (!sees_back(at)) continue;
          const KeyPlace read = read_back ? read_back(at) : key_of(at);
          const double s_back =
              read_back ? score(at, dot(key_, read, s.dim, query_row(query_, b, h, i, s.dim))) : row.score[k];
          const double p = weight_back(s_back, L);
          const double dp = kept_back(at) * dot(value_, read_back ? read : value_of(at), s.value_dim, dout);
          const double ds = p * (dp - delta_factor * delta), out_of_cap = s_back - (bias ? bias.of(at) : 0);
          const KeyPlace k_at = sent_back ? sent_back(at) : key_of(at), v_at = sent_back ? k_at : value_of(at);
          const std::size_t q_row = place(b, h, i, 0, s.heads, s.queries, s.dim);
          const std::size_t read_row = place(read.batch, read.kv_head, read.key, 0, s.kv_heads, s.keys, s.dim);
          const std::size_t k_row = place(k_at.batch, k_at.kv_head, k_at.key, 0, s.kv_heads, s.keys, s.dim);
          const std::size_t v_row = place(v_at.batch, v_at.kv_head, v_at.key, 0, s.kv_heads, s.keys, s.value_dim);
          for (std::size_t c = 0; c < static_cast<std::size_t>(s.dim); ++c) {
            all.query[q_row + c] += query_factor * query_slope(out_of_cap) * ds * key_[read_row + c];
            if (reaches_keys(h)) all.key[k_row + c] += key_factor * key_slope(out_of_cap) * ds * query_[q_row + c];
          }
          for (std::size_t c = 0; c < static_cast<std::size_t>(s.value_dim) && reaches_keys(h); ++c)
            all.value[v_row + c] += value_factor * kept_back(at) * p * dout[c];
        }
      }
    }
  if (key_and_value_swapped) std::swap(all.key, all.value);
  if (query_format)
    for (double& x : all.query) x = query_format->round(x);
  return all;
}

}  // namespace attestone::inline conformance
