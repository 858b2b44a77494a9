// SPDX-License-Identifier: Apache-2.0
// A mutant's least problem, grown until faults differ from each other.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "reference/problem/problem.hpp"

namespace attestone {

/// Lengths keep their share of an extent that has become another.
inline void stretch(std::vector<index>& lengths, index before, index now) {
  for (index& length : lengths) length = before > 0 ? (length * now + before - 1) / before : 0;
}

/// With extents that are odd and larger than a tile of 16, and with more heads where there were several. Of very many
/// sequences, a few.
inline Problem larger(std::string_view text) {
  constexpr index many = 64;
  Problem problem = parse_problem(text);
  problem.shape.batch = std::min(problem.shape.batch, many);
  const index group = std::max<index>(problem.shape.heads / problem.shape.kv_heads, 1);
  problem.shape.kv_heads = problem.shape.kv_heads > 1 || problem.shape.heads > 1 ? 3 : 1;
  problem.shape.heads = problem.shape.kv_heads * (problem.shape.kv_heads == 1 ? 1 : std::max<index>(group, 2));
  constexpr index queries = 21, keys = 37;
  stretch(problem.query_lengths, problem.shape.queries, queries);
  stretch(problem.lengths, problem.shape.keys, keys);
  problem.shape.queries = queries, problem.shape.keys = keys;
  problem.shape.dim = 8, problem.shape.value_dim = problem.shape.value_dim == 1 ? 8 : problem.shape.value_dim + 6;
  return problem;
}

}  // namespace attestone
