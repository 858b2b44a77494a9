// SPDX-License-Identifier: Apache-2.0
// Every number has a draw of its own.
#include "benchmarks/sage_tables/structure.hpp"

#include <cmath>

#include "conformance/problems/standard_normal.hpp"
#include "reference/dtypes/dtype.hpp"

namespace attestone {
namespace {

constexpr std::uint64_t seed = 20261128;

enum Tensor : std::uint32_t { of_query, of_key, of_value };

/// Where no element lies: what a row, or a channel, has in common.
constexpr std::uint32_t nowhere = 0xFFFFFFFF;

double normal(Tensor tensor, index head, std::uint32_t row, std::uint32_t channel) {
  return standard_normal(Draw(seed, {tensor, static_cast<std::uint32_t>(head), row, channel}));
}

/// [count, dim], each the sum of a normal number and what its channel has in common.
std::vector<double> rows_of(Tensor tensor, index head, index count, index dim, double spread, auto offset_of) {
  std::vector<double> rows;
  for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(count); ++r) {
    const double length = std::exp(spread * normal(tensor, head, r, nowhere));
    for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(dim); ++c)
      rows.push_back(length * normal(tensor, head, r, c) + offset_of(normal(tensor, head, nowhere, c)));
  }
  return rows;
}

/// All queries and the first key share a channel.
void lead_to_first_key(HeadRows& head, double lead) {
  const double length = std::sqrt(lead * std::sqrt(static_cast<double>(head.dim)));
  const auto dim = static_cast<std::size_t>(head.dim);
  for (std::size_t at = 0; at < head.query.size(); at += dim) head.query[at] = length;
  head.key[0] = length;
  for (std::size_t c = 0; c < dim; ++c) head.value[c] /= 10;
}

}  // namespace

HeadRows drawn(const Structure& structure, index head, index queries, index keys, index dim) {
  const auto times = [](double offset) { return [offset](double of_channel) { return offset * of_channel; }; };
  const auto away = [&](double of_channel) { return std::copysign(structure.value_offset, of_channel); };
  HeadRows rows{.queries = queries,
                .keys = keys,
                .dim = dim,
                .query = rows_of(of_query, head, queries, dim, structure.row_spread, times(structure.query_offset)),
                .key = rows_of(of_key, head, keys, dim, structure.row_spread, times(structure.key_offset)),
                .value = rows_of(of_value, head, keys, dim, 0, away)};
  if (structure.sink > 0) lead_to_first_key(rows, structure.sink);
  for (std::vector<double>* numbers : {&rows.query, &rows.key, &rows.value})
    for (double& x : *numbers) x = dtype("f16").round(x);
  return rows;
}

}  // namespace attestone
