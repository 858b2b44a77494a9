// SPDX-License-Identifier: Apache-2.0
// Reads and checks sizes: the shape, the lengths of sequences, the rows behind them.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reference/problem/problem_fields.hpp"

namespace attestone {
namespace {

// No extent, no tensor, and no count of pairs times channels is larger: offsets in bytes, and amounts of work, then fit
// an index with room to spare.
constexpr index largest_extent = index{1} << 31;
constexpr index largest_tensor = index{1} << 44;
constexpr index largest_work = index{1} << 60;

index read_extent(Scanner& in, const char* what, index least) {
  const std::size_t begin = in.position();
  const index extent = in.integer(what, least);
  if (extent > largest_extent) in.fail(begin, std::string(what) + " is at most 2^31");
  return extent;
}

/// True if extents multiply to more than `most`. An extent of 0 counts as 1: the others are still gone through.
bool too_large(std::initializer_list<index> extents, index most = largest_tensor) {
  index product = 1;
  for (const index extent : extents) {
    if (extent > 0 && product > most / extent) return true;
    product *= std::max<index>(extent, 1);
  }
  return false;
}

/// True if a tensor has too many elements, with so many rows behind each sequence.
bool too_large(const Shape& s, index rows_behind) {
  const index width = std::max(s.dim, s.value_dim);
  return too_large({s.batch, s.heads, s.queries + rows_behind, width}) ||
         too_large({s.batch, s.kv_heads, s.keys + rows_behind, width});
}

Conflict lengths_conflict(const std::vector<index>& lengths, index batch, index extent, const char* of_what) {
  if (!lengths.empty() && static_cast<index>(lengths.size()) != batch)
    return {fmt::format("{} lengths for a batch of {}", lengths.size(), batch)};
  for (const index length : lengths)
    if (length > extent) return {fmt::format("length {} is more than the {} {} of the shape", length, extent, of_what)};
  return {};
}

}  // namespace

void read_shape(Scanner& in, Problem& problem) {
  Shape& s = problem.shape;
  const auto next = [&] {
    in.expect('x', "between extents: batch x heads[/kv_heads] x queries x keys x dim[:value_dim]");
  };
  s.batch = read_extent(in, "batch", 1), next();
  s.heads = s.kv_heads = read_extent(in, "heads", 1);
  if (in.take('/')) s.kv_heads = read_extent(in, "kv_heads", 1);
  next(), s.queries = read_extent(in, "queries", 0);
  next(), s.keys = read_extent(in, "keys", 0);
  next(), s.dim = s.value_dim = read_extent(in, "dim", 1);
  if (in.take(':')) s.value_dim = read_extent(in, "value_dim", 1);
}

std::string print_shape(const Problem& problem) {
  const Shape& s = problem.shape;
  return fmt::format("{}x{}{}x{}x{}x{}{}", s.batch, s.heads,
                     s.kv_heads == s.heads ? "" : fmt::format("/{}", s.kv_heads), s.queries, s.keys, s.dim,
                     s.value_dim == s.dim ? "" : fmt::format(":{}", s.value_dim));
}

Conflict shape_conflict(const Problem& problem) {
  const Shape& s = problem.shape;
  if (s.heads % s.kv_heads != 0)
    return {fmt::format("heads ({}) is no multiple of kv_heads ({}): query heads share kv heads in equal groups",
                        s.heads, s.kv_heads)};
  if (too_large({s.batch, s.heads}, largest_extent)) return {"this is more than 2^31 heads, of all sequences together"};
  if (too_large(s, 0)) return {"a tensor of this shape has more than 2^44 elements"};
  if (too_large({s.batch, s.heads, s.queries, s.keys, std::max(s.dim, s.value_dim)}, largest_work))
    return {"this takes more than 2^60 multiply-adds"};
  return {};
}

std::vector<index> read_lengths(Scanner& in) {
  std::vector<index> lengths;
  do lengths.push_back(in.integer("a length", 0));
  while (in.take('+'));
  return lengths;
}

std::string print_lengths(const std::vector<index>& lengths) { return fmt::format("{}", fmt::join(lengths, "+")); }

Conflict key_lengths_conflict(const Problem& p) {
  return lengths_conflict(p.lengths, p.shape.batch, p.shape.keys, "keys");
}

Conflict query_lengths_conflict(const Problem& p) {
  return lengths_conflict(p.query_lengths, p.shape.batch, p.shape.queries, "queries");
}

void read_spare_rows(Scanner& in, Problem& problem) {
  problem.spare_rows = read_extent(in, "the number of spare rows", 0);
}

Conflict spare_rows_conflict(const Problem& problem) {
  if (too_large(problem.shape, problem.spare_rows)) return {"a tensor with these rows has more than 2^44 places"};
  return {};
}

Conflict bias_conflict(const Problem& problem) {
  const Shape& s = problem.shape;
  const bool pairs = problem.score.bias_tensor() && problem.score.bias_tensor() != "key";
  if (pairs && too_large({s.batch, s.heads, s.queries, s.keys}))
    return {"a bias of this shape may have more than 2^44 elements"};
  return {};
}

}  // namespace attestone
