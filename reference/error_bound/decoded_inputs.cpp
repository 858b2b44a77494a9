// SPDX-License-Identifier: Apache-2.0
// Decoding keys and values once; queries row by row.
#include "reference/error_bound/decoded_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

namespace attestone {
namespace {

/// The largest finite value with its slack, and the largest slack of such a value.
std::pair<double, double> largest_of(std::span<const double> values, std::span<const double> slack) {
  double value = 0, own = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const double own_slack = slack.empty() ? 0 : slack[i];
    value = std::max(value, std::abs(values[i]) + own_slack);
    own = std::max(own, own_slack);
  }
  return {value, own};
}

}  // namespace

DecodedInputs::DecodedInputs(const Problem& problem, const Inputs& inputs, const OperandSlack& slack)
    : problem_(problem), bias_(problem_, inputs), dropout_(problem_), query_(inputs.query.view()), slack_(slack) {
  if (inputs.sink) sink_ = inputs.sink->view();
  if (inputs.dout) dout_.emplace(inputs.dout->view());
  const RowReader key(inputs.key.view()), value(inputs.value.view());
  const Shape& shape = problem_.shape;
  const auto pairs = static_cast<std::size_t>(shape.batch * shape.kv_heads * shape.keys);
  const auto dim = static_cast<std::size_t>(shape.dim);
  const auto keys = static_cast<std::size_t>(shape.keys);
  keys_.resize(pairs * dim);
  norms_.resize(pairs);
  largest_in_keys_.resize(pairs);
  largest_key_norms_.resize(static_cast<std::size_t>(shape.kv_heads));
  values_.resize(pairs * static_cast<std::size_t>(shape.value_dim));
  zeros_.resize(static_cast<std::size_t>(shape.value_dim));
  std::vector<double> row(dim);
  std::size_t at = 0;  // counts (batch, kv head, key)
  for (index b = 0; b < shape.batch; ++b)
    for (index h = 0; h < shape.kv_heads; ++h)
      for (std::size_t j = 0; j < keys; ++j, ++at) {
        if (static_cast<index>(j) >= inputs.key.view().rows(b)) continue;
        key.read(b, h, static_cast<index>(j), row);
        double* first_channel = keys_.data() + (at - j) * dim + j;
        if (static_cast<index>(j) < problem_.sequence(b).keys) {
          double& largest = largest_key_norms_[static_cast<std::size_t>(h)];
          const double norm = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
          if (std::isfinite(norm)) largest = std::max(largest, norm);
        }
        for (std::size_t c = 0; c < dim; ++c) {
          first_channel[c * keys] = row[c];
          norms_[at] += std::abs(row[c]);
          largest_in_keys_[at] = std::isfinite(row[c]) ? std::max(largest_in_keys_[at], std::abs(row[c]))
                                                       : std::numeric_limits<double>::infinity();
        }
        value.read(b, h, static_cast<index>(j),
                   std::span(values_).subspan(at * static_cast<std::size_t>(shape.value_dim),
                                              static_cast<std::size_t>(shape.value_dim)));
      }
  std::tie(largest_value_, largest_value_slack_) = largest_of(values_, slack_.value);
}

std::vector<index> DecodedInputs::visible_keys(index batch, index head, index query) const {
  std::vector<index> visible;
  const Sequence own = problem_.sequence(batch);
  if (query >= own.queries) return visible;
  visible.reserve(static_cast<std::size_t>(own.keys));
  const auto sees = [&, full = problem_.mask.is_full(), biased = static_cast<bool>(bias_)](const Pair& at) {
    return (full || problem_.mask.allows({own, at, problem_.seed})) &&
           !(biased && bias_.of(at) == -std::numeric_limits<double>::infinity());
  };
  for (index key = 0; key < own.keys; ++key)
    if (sees({batch, head, query, key})) visible.push_back(key);
  return visible;
}

std::optional<double> DecodedInputs::sink(index head) const {
  if (!sink_) return std::nullopt;
  const double logit = sink_->value(0, head, 0, 0);
  return logit == -std::numeric_limits<double>::infinity() ? std::nullopt : std::optional(logit);
}

std::size_t DecodedInputs::kv(index batch, index head) const {
  return static_cast<std::size_t>(batch * problem_.shape.kv_heads + problem_.shape.kv_head(head));
}

std::vector<double> DecodedInputs::query(index batch, index head, index query) const {
  std::vector<double> row(static_cast<std::size_t>(problem_.shape.dim));
  query_.read(batch, head, query, row);
  return row;
}

std::vector<double> DecodedInputs::dout(index batch, index head, index query) const {
  std::vector<double> row(static_cast<std::size_t>(problem_.shape.value_dim));
  dout_->read(batch, head, query, row);
  return row;
}

const double* DecodedInputs::key_channel(index batch, index head, index channel) const {
  const auto row = kv(batch, head) * static_cast<std::size_t>(problem_.shape.dim) + static_cast<std::size_t>(channel);
  return keys_.data() + row * static_cast<std::size_t>(problem_.shape.keys);
}

const double* DecodedInputs::key_norms(index batch, index head) const {
  return norms_.data() + kv(batch, head) * static_cast<std::size_t>(problem_.shape.keys);
}

const double* DecodedInputs::largest_in_keys(index batch, index head) const {
  return largest_in_keys_.data() + kv(batch, head) * static_cast<std::size_t>(problem_.shape.keys);
}

double DecodedInputs::score_slack(const Pair& at, std::span<const double> query) const {
  if (slack_.query.empty() && slack_.key.empty()) return 0;
  const Shape& shape = problem_.shape;
  const auto row_of = [&](std::span<const double> all, index row, std::size_t c) {
    return all.empty() ? 0 : all[static_cast<std::size_t>(row) * query.size() + c];
  };
  const index of_query = (at.batch * shape.heads + at.head) * shape.queries + at.query;
  const index of_key = static_cast<index>(kv(at.batch, at.head)) * shape.keys + at.key;
  double sum = 0;
  for (std::size_t c = 0; c < query.size(); ++c) {
    const double key = std::abs(key_channel(at.batch, at.head, static_cast<index>(c))[at.key]);
    const double key_off = row_of(slack_.key, of_key, c), query_off = row_of(slack_.query, of_query, c);
    sum += std::abs(query[c]) * key_off + query_off * (key + key_off);
  }
  return sum;
}

double DecodedInputs::largest_key_norm(index head) const {
  return largest_key_norms_[static_cast<std::size_t>(problem_.shape.kv_head(head))];
}

const double* DecodedInputs::value(index batch, index head, index key) const {
  const auto row = kv(batch, head) * static_cast<std::size_t>(problem_.shape.keys) + static_cast<std::size_t>(key);
  return values_.data() + row * static_cast<std::size_t>(problem_.shape.value_dim);
}

const double* DecodedInputs::value_slack(index batch, index head, index key) const {
  if (slack_.value.empty()) return nullptr;
  const index row = static_cast<index>(kv(batch, head)) * problem_.shape.keys + key;
  return slack_.value.data() + row * problem_.shape.value_dim;
}

}  // namespace attestone
