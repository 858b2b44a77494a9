// SPDX-License-Identifier: Apache-2.0
// Cutting a call into parts in the ways of meshes: runs, two runs for each part (zigzag), stripes; heads and sequences.
#pragma once

#include <algorithm>
#include <random>

#include "tests/backends/part_of_call.hpp"

namespace attestone {

inline std::vector<Numbers> runs(index count, index parts, std::mt19937_64& random) {
  Numbers borders{0, count};
  for (index p = 1; p < parts; ++p) borders.push_back(static_cast<index>(random() % static_cast<unsigned>(count + 1)));
  std::ranges::sort(borders);
  std::vector<Numbers> all(static_cast<std::size_t>(parts));
  for (std::size_t p = 0; p < all.size(); ++p)
    for (index i = borders[p]; i < borders[p + 1]; ++i) all[p].push_back(i);
  return all;
}

/// Some parts may be empty.
inline std::vector<Numbers> cut_rows(index count, std::mt19937_64& random) {
  const index parts = 1 + static_cast<index>(random() % 4);
  std::vector<Numbers> all(static_cast<std::size_t>(parts));
  switch (random() % 3) {
    case 0:
      return runs(count, parts, random);
    case 1:
      for (index i = 0; i < count; ++i) all[static_cast<std::size_t>(i % parts)].push_back(i);
      return all;
    default:
      const std::vector<Numbers> chunks = runs(count, 2 * parts, random);
      for (std::size_t p = 0; p < chunks.size(); ++p) {
        Numbers& part = all[std::min(p, chunks.size() - 1 - p)];
        part.insert(part.end(), chunks[p].begin(), chunks[p].end());
      }
      return all;
  }
}

/// Neighbouring heads: groups of a kv head together, or each of them in two.
inline std::vector<Numbers> cut_heads(const Shape& shape, std::mt19937_64& random) {
  const index group = shape.heads / shape.kv_heads;
  std::vector<Numbers> all;
  if (random() % 2 == 0) {
    for (const Numbers& groups : runs(shape.kv_heads, 1 + static_cast<index>(random() % 2), random)) {
      Numbers heads;
      for (const index kv_head : groups)
        for (index h = 0; h < group; ++h) heads.push_back(kv_head * group + h);
      all.push_back(heads);
    }
  } else {
    for (index kv_head = 0; kv_head < shape.kv_heads; ++kv_head)
      for (Numbers heads : runs(group, 2, random)) {
        for (index& head : heads) head += kv_head * group;
        all.push_back(heads);
      }
  }
  std::erase_if(all, [](const Numbers& heads) { return heads.empty(); });
  return all;
}

/// Every pair of the whole is in one part.
inline std::vector<Cut> cut_call(const Problem& problem, std::mt19937_64& random) {
  const Shape& shape = problem.shape;
  std::vector<Numbers> batches = runs(shape.batch, 2, random);
  std::erase_if(batches, [](const Numbers& some) { return some.empty(); });
  const std::vector<Numbers> heads = cut_heads(shape, random), queries = cut_rows(shape.queries, random),
                             keys = cut_rows(shape.keys, random);
  std::vector<Cut> all;
  for (const Numbers& b : batches)
    for (const Numbers& h : heads)
      for (const Numbers& q : queries)
        for (const Numbers& k : keys) all.push_back({b, h, q, k, &k == &keys.front()});
  return all;
}

}  // namespace attestone
