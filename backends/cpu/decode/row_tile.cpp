// SPDX-License-Identifier: Apache-2.0
// FlashAttention-2, Algorithm 1, lines 6 to 15, with queries in rows: K and V are read once, in the order of memory.
#include "backends/cpu/decode/row_tile.hpp"

#include "backends/cpu/decode/row_products.hpp"

namespace attestone::inline backends {
namespace {

constexpr index decoded_together = 128;  ///< keys

/// visit(rows, keys), with rows of whole lanes: all of them where they lie, if they lie so; else some at a time,
/// decoded into `buffer` and filled up with zeros.
template <class Visit>
void visit_rows(const ConstView& tensor, const FloatRows& as_floats, const QueryGroup& group, Interval keys,
                index width, float* buffer, Visit visit) {
  if (const auto rows = key_rows_in_place(tensor, group.batch, group.kv_head, keys, width)) return visit(*rows, keys);
  const index channels = tensor.extents()[3];
  for (index first = keys.first; first <= keys.last; first += decoded_together) {
    const Interval some{first, std::min(first + decoded_together - 1, keys.last)};
    for (index key = some.first; key <= some.last; ++key) {
      float* to = buffer + (key - some.first) * width;
      as_floats.read(group.batch, group.kv_head, key, to);
      std::fill(to + channels, to + width, 0.0f);
    }
    visit(key_rows({buffer, width}), some);
  }
}

}  // namespace

RowExtents::RowExtents(const Problem& problem, index most_rows, index most_keys)
    : rows(std::min(most_rows, problem.shape.queries * (problem.shape.heads / problem.shape.kv_heads))),
      keys(std::min(most_keys, problem.shape.keys)),
      dim(filled_up(problem.shape.dim)),
      value_dim(filled_up(problem.shape.value_dim)),
      decoded_keys(std::min(keys, decoded_together)),
      biased_keys(problem.score.bias_tensor() ? keys : 0) {}

RowScratch::RowScratch(Device& device, const RowExtents& e)
    : Q(device, e.rows * e.dim, "queries"),
      decoded(device, e.decoded_keys * std::max(e.dim, e.value_dim), "keys or values"),
      S(device, e.rows * filled_up(e.keys), "scores"),
      biases(device, e.biased_keys, "biases"),
      seen(device, e.rows * e.keys, "visible pairs") {}

index RowScratch::bytes(const RowExtents& e) {
  const index numbers =
      e.rows * (e.dim + filled_up(e.keys)) + e.decoded_keys * std::max(e.dim, e.value_dim) + e.biased_keys;
  return numbers * static_cast<index>(sizeof(float)) + e.rows * e.keys;
}

RowTile::RowTile(const Problem& problem, const Arguments& arguments, const RowExtents& extents)
    : problem_(problem),
      arguments_(arguments),
      extents_(extents),
      dropped_(problem, arguments.placement),
      query_(arguments.query),
      key_(arguments.key),
      value_(arguments.value) {}

void RowTile::load_queries(const QueryGroup& group, Interval rows, RowScratch& scratch) const {
  for (index row = rows.first; row <= rows.last; ++row) {
    float* to = scratch.Q.data() + (row - rows.first) * extents_.dim;
    query_.read(group.batch, group.head_number(row), group.query(row), to);
    std::fill(to + problem_.shape.dim, to + extents_.dim, 0.0f);
  }
  scratch.work.bytes += rows.count() * row_bytes(arguments_.query);
}

void RowTile::take_in(const QueryGroup& group, Interval rows, Interval keys, RowState& state,
                      RowScratch& scratch) const {
  keys.last = std::min(keys.last, group.sequence.keys - 1);
  if (keys.count() == 0) return;
  keys = group.outermost(rows, keys);
  for (index first = keys.first; first <= keys.last; first += extents_.keys) {
    const Interval tile = group.outermost(rows, {first, std::min(first + extents_.keys - 1, keys.last)});
    if (tile.count() > 0) take_in_tile(group, rows, tile, state, scratch);
  }
}

/// In the letters of the paper: S = Q K^T [rows][keys], m = max(m, max S), P = e^(S - m), l = e^(m_before - m) l +
/// sum P, O = e^(m_before - m) O + P V [rows][value_dim].
void RowTile::take_in_tile(const QueryGroup& group, Interval rows, Interval keys, RowState& state,
                           RowScratch& scratch) const {
  const Shape& shape = problem_.shape;
  const index count = rows.count(), width = filled_up(extents_.keys), weighed = filled_up(keys.count());
  visit_rows(arguments_.key, key_, group, keys, extents_.dim, scratch.decoded.data(), [&](KeyRows K, Interval some) {
    float* S = scratch.S.data() + (some.first - keys.first);
    dot_rows({scratch.Q.data(), extents_.dim}, count, K, some.count(), extents_.dim, S, width);
  });
  const bool all_seen = finish_scores(group, rows, keys, scratch);
  for (index row = 0; row < count; ++row) {
    float* S = scratch.S.data() + row * width;
    std::fill(S + keys.count(), S + weighed, -std::numeric_limits<float>::infinity());
    state.weigh(row, S, weighed);
    const index of_group = rows.first + row;
    dropped_.clear({group.batch, group.head_number(of_group), group.query(of_group), keys.first}, S, keys.count());
    round_weights({S, static_cast<std::size_t>(keys.count())}, problem_.input);
  }
  visit_rows(arguments_.value, value_, group, keys, extents_.value_dim, scratch.decoded.data(),
             [&](KeyRows V, Interval some) {
               add_values(rows, {some.first - keys.first, some.last - keys.first}, V, all_seen, state, scratch);
             });
  const index pairs = count * keys.count();
  scratch.work += {.multiply_adds = pairs * (shape.dim + shape.value_dim),
                   .exponentials = pairs,
                   .bytes = keys.count() * (row_bytes(arguments_.key) + row_bytes(arguments_.value))};
}

/// Returns true if every row sees all keys; where not, `seen` says which, and hidden scores are -infinity.
bool RowTile::finish_scores(const QueryGroup& group, Interval rows, Interval keys, RowScratch& scratch) const {
  bool all_seen = !arguments_.bias && group.all_seen(rows, keys);
  const bool marked = !all_seen;
  bool hidden = false;
  for (index row = rows.first; row <= rows.last; ++row) {
    const auto& [visible, scores, sink] = group.head(row);
    float* S = scratch.S.data() + (row - rows.first) * filled_up(extents_.keys);
    const float* biases = scores.biases(group.query(row), keys, scratch.biases.data());
    scores.finish(S, group.query(row), keys, biases);
    if (!marked) continue;
    std::uint8_t* seen = scratch.seen.data() + (row - rows.first) * extents_.keys;
    visible.mark(group.query(row), keys, biases, seen);
    for (index j = 0; j < keys.count(); ++j)
      if (!seen[j]) S[j] = -std::numeric_limits<float>::infinity(), hidden = true;
  }
  return !hidden;
}

/// Each row adds the values that it sees, and no other: a weight of 0 would not hide NaN.
void RowTile::add_values(Interval rows, Interval of_tile, KeyRows V, bool all_seen, RowState& state,
                         RowScratch& scratch) const {
  const index width = filled_up(extents_.keys), channels = extents_.value_dim;
  const float* P = scratch.S.data() + of_tile.first;
  if (all_seen) return add_rows({P, width}, rows.count(), V, of_tile.count(), channels, state.out(0));
  for (index row = 0; row < rows.count(); ++row, P += width) {
    const std::uint8_t* seen = scratch.seen.data() + row * extents_.keys + of_tile.first;
    for_each_run_of(
        {0, of_tile.count() - 1}, [&](index j) { return seen[j] != 0; },
        [&](Interval run) {
          add_rows({P + run.first, width}, 1, V.from(run.first), run.count(), channels, state.out(row));
        });
  }
}

void RowTile::store(const QueryGroup& group, index row, index at, RowState& state, RowScratch& scratch) const {
  state.divide(at);
  const auto log_sum_exp = static_cast<float>(group.head(row).sink.log_sum_exp(state.softmax(at)));
  const index head = group.head_number(row), query = group.query(row);
  store_float_rows(arguments_.out, group.batch, head, {query, query}, {state.out(at), extents_.value_dim},
                   dropped_.factor());
  store_float_rows(arguments_.log_sum_exp, group.batch, head, {query, query}, {&log_sum_exp, 1}, 1);
  scratch.work.bytes += row_bytes(arguments_.out) + row_bytes(arguments_.log_sum_exp);
}

}  // namespace attestone::inline backends
