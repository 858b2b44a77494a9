// SPDX-License-Identifier: Apache-2.0
// The ring's steps, as the published program has them but for what a wrong program changes.
#include "backends/distributed/elements.hpp"
#include "backends/distributed/local_steps.hpp"
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

std::vector<Request> hop(Rank& rank, const KeyValue& out, const KeyValue& in, Messages messages) {
  const std::vector<ConstView> going{out.key.all(), out.value.all()};
  const std::vector<View> coming{in.key.all(), in.value.all()};
  return permute(rank.communicator, rank.ring, 1, going, coming, messages);
}

void add_to(const KeyValue& more, const KeyValue& sum) {
  add(more.key.all(), sum.key.all());
  add(more.value.all(), sum.value.all());
}

std::vector<index> some_of(const std::vector<index>& rows, index first, index count) {
  return {rows.begin() + first, rows.begin() + first + count};
}

}  // namespace

KeyValue::KeyValue(Rank& rank, std::string_view name, const DType& of_key, const DType& of_value, index rows,
                   HeldHeads heads)
    : key(rank.device, name, of_key, rows, heads.kv.count(), rank.attention.whole().shape.dim),
      value(rank.device, name, of_value, rows, heads.kv.count(), rank.attention.whole().shape.value_dim) {}

Blocks blocks_of_some(const RingStep& step, const std::vector<index>& first_query, const std::vector<index>& keys) {
  const HeldRows& rows = step.queries.rows;
  std::vector<std::vector<index>> some_queries, some_keys;
  for (index sequence = 0; sequence < rows.sequences(); ++sequence) {
    const auto at = static_cast<std::size_t>(sequence);
    some_queries.push_back(some_of(rows.of(sequence), first_query[at], rows.count(sequence) - first_query[at]));
    some_keys.push_back(some_of(step.keys.of(sequence), 0, keys[at]));
  }
  const HeldRows held_queries(some_queries), held_keys(some_keys);
  const LocalQueries queries{held_queries, step.queries.heads, step.queries.query};
  Blocks blocks = step.rank.attention.blocks(queries, held_keys);
  for (SequenceBlock& block : blocks) {
    const index shift = first_query[static_cast<std::size_t>(block.sequence)];
    block.queries = {block.queries.first + shift, block.queries.last + shift};
  }
  return blocks;
}

KeyValue ChangedSteps::next_keys(const RingStep&, KeyValue current, KeyValue next) const {
  current.release();
  return next;
}

Buffer ChangedSteps::delta(Rank& rank, const LocalQueries& queries, const RankSaved& saved) const {
  return delta_of(rank, queries, saved);
}

std::vector<Request> ChangedSteps::hop_of_sums(Rank& rank, const KeyValue& out, const KeyValue& in,
                                               Messages messages) const {
  return hop(rank, out, in, messages);
}

Task<RankAnswer> ChangedSteps::ring_forward(Rank& rank, RankInputs held) const {
  const RingVariant variant = this->variant(rank.attention.whole());
  const HeldHeads heads = head_numbers(rank);
  const Shape& shape = rank.attention.whole().shape;
  const index N = rank.ring.size();
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, held.query};
  if (N == 1) {
    RankAnswer alone = local_forward(rank, held, queries);
    answered(rank, alone);
    co_return alone;
  }

  const HeldRows numbers = row_numbers(rank, rank.queries, rank.ring.place, false);
  const LocalQueries numbered{numbers, heads, held.query};
  RunningAnswer answer(rank.device, rows.count(), heads.query.count(), shape.value_dim);
  if (const auto& sinks = rank.attention.inputs().sink) answer.start_from_sinks(*sinks, heads.query);
  KeyValue current(std::move(held.key), std::move(held.value));
  for (index number = 0; number < N; ++number) {
    const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(-number));
    const RingStep step{rank, queries, keys, number, false};
    const bool hops = number < N - 1 || variant.wasted_hop;
    std::optional<KeyValue> next;
    std::vector<Request> under_way;
    if (hops) {
      const index coming = rank.keys.of_ring(rank.ring.beside(-number - 1)).count();
      next.emplace(rank, "KV", current.key.dtype(), current.value.dtype(), coming, heads);
      under_way = hop(rank, current, *next, variant.messages);
    }
    const Blocks some = blocks(step);
    if (!some.empty()) {
      Buffer out(rank.device, "part of out", *variant.part, query_rows(some), heads.query.count(), shape.value_dim);
      Buffer log_sum_exp(rank.device, "part of log_sum_exp", dtype("f32"), query_rows(some), heads.query.count(), 1);
      const HeldRows key_numbers = row_numbers(rank, rank.keys, step.source(), false);
      const LocalKeys local{key_numbers, current.key, current.value};
      rank.attention.forward(some, numbered, local, out, log_sum_exp);
      before_merge(step, some, out, log_sum_exp);
      answer.merge(some, rows, out, log_sum_exp);
    }
    Task<> hopped = all_of(std::move(under_way));
    co_await hopped;
    if (hops) current = next_keys(step, std::move(current), std::move(*next));
  }
  current.release();
  held.query.release();
  Buffer out(rank.device, "out", rank.attention.whole().output, rows.count(), heads.query.count(), shape.value_dim);
  answer.store(out);
  answer.release_out();
  RankAnswer merged{std::move(out), answer.log_sum_exp()};
  answered(rank, merged);
  co_return merged;
}

Task<RankGradients> ChangedSteps::ring_backward(Rank& rank, RankSaved saved) const {
  const RingVariant variant = this->variant(rank.attention.whole());
  const HeldHeads heads = head_numbers(rank);
  const Problem& whole = rank.attention.whole();
  const DType& f32 = dtype("f32");
  const index N = rank.ring.size();
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, saved.query};
  if (N == 1) co_return local_backward(rank, saved, queries);

  const HeldRows numbers = row_numbers(rank, rank.queries, rank.ring.place, true);
  const LocalQueries numbered{numbers, heads, saved.query};
  Buffer delta = this->delta(rank, queries, saved);
  if (rank.attention.takes_delta()) saved.out.release();
  const LocalAnswers answers{saved.out, saved.log_sum_exp, saved.dout, delta};
  Buffer dquery(rank.device, "sum of dquery", f32, rows.count(), heads.query.count(), whole.shape.dim);
  dquery.clear();
  KeyValue current(std::move(saved.key), std::move(saved.value));
  std::optional<KeyValue> sums, coming;
  std::vector<Request> sums_under_way;
  for (index number = 0; number < N; ++number) {
    const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(-number));
    const RingStep step{rank, queries, keys, number, true};
    const index next_rows = rank.keys.of_ring(rank.ring.beside(-number - 1)).count();
    const bool hops = number < N - 1 || variant.wasted_hop;
    std::optional<KeyValue> next, share;
    std::vector<Request> under_way;
    if (hops) {
      next.emplace(rank, "KV", current.key.dtype(), current.value.dtype(), next_rows, heads);
      under_way = hop(rank, current, *next, variant.messages);
    }
    const Blocks some = blocks(step);
    if (!some.empty() || number == 0) {
      share.emplace(rank, "share of dKV", f32, f32, keys.count(), heads);
      share->key.clear();
      share->value.clear();
      const HeldRows key_numbers = row_numbers(rank, rank.keys, step.source(), true);
      const LocalKeys local{key_numbers, current.key, current.value};
      Buffer share_of_dquery(rank.workspace, "share of dquery", f32, query_rows(some), heads.query.count(),
                             whole.shape.dim);
      const LocalGradients gradients{share_of_dquery, share->key, share->value, dbias(step)};
      rank.attention.backward(some, numbered, local, answers, gradients);
      add_rows(share_of_dquery, some, rows, dquery);
    }
    if (number == 0) {
      sums = std::move(share);
    } else {
      if (adds_first() && share) add_to(*share, *coming);
      Task<> arrived = all_of(std::move(sums_under_way));
      co_await arrived;
      sums = std::exchange(coming, std::nullopt);
      if (!adds_first() && share) add_to(*share, *sums);
      share.reset();
    }
    Task<> hopped = all_of(std::move(under_way));
    co_await hopped;
    if (hops) current = next_keys(step, std::move(current), std::move(*next));
    if (!hops) current.release();
    coming.emplace(rank, "sum of dKV", f32, f32, next_rows, heads);
    sums_under_way = hop_of_sums(rank, *sums, *coming, variant.messages);
  }
  Task<> home = all_of(std::move(sums_under_way));
  co_await home;
  sums.reset();
  delta.release();
  current.release();
  for (Buffer* done : {&saved.query, &saved.out, &saved.dout, &saved.log_sum_exp}) done->release();
  before_rounding(rank, dquery);
  co_return rounded(rank, std::move(dquery), std::move(coming->key), std::move(coming->value));
}

}  // namespace attestone
