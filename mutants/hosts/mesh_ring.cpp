// SPDX-License-Identifier: Apache-2.0
// The ring's steps, as the published method has them but for what a mutant changes.
#include <cmath>
#include <limits>

#include "backends/cpu/attend/merge.hpp"
#include "backends/cpu/parts/head_sink.hpp"
#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "reference/require.hpp"

namespace attestone::inline mutants {
namespace {

void add_to(const KeysAndValues& more, const KeysAndValues& sum) {
  add(more.key.all(), sum.key.all());
  add(more.value.all(), sum.value.all());
}

std::vector<index> some_of(const std::vector<index>& rows, index first, index count) {
  return {rows.begin() + first, rows.begin() + first + count};
}

/// Before the first key: the sinks.
RankAnswer nothing_seen(const Rank& rank, const LocalQueries& queries) {
  const index rows = queries.rows.count(), heads = queries.heads.query.count();
  RankAnswer sums{Buffer(rank.device, "sum of out", dtype("f32"), rows, heads, rank.attention.whole().shape.value_dim),
                  Buffer(rank.device, "log_sum_exp", dtype("f32"), rows, heads, 1)};
  sums.out.clear();
  for_each_element(sums.log_sum_exp.all(), [&](index, index head, index row, index) {
    const HeadSink sink(rank.attention.inputs(), queries.heads.query.first + head);
    sums.log_sum_exp.all().set(0, head, row, 0, sink.logit());
  });
  return sums;
}

}  // namespace

KeysAndValues::KeysAndValues(const Rank& rank, std::string_view name, const DType& of_key, const DType& of_value,
                             index rows, HeldHeads heads)
    : key(rank.device, name, of_key, rows, heads.kv.count(), rank.attention.whole().shape.dim),
      value(rank.device, name, of_value, rows, heads.kv.count(), rank.attention.whole().shape.value_dim) {}

Requests hop(const RingStep& step, const Group& group, const KeysAndValues& out, const KeysAndValues& in) {
  const std::vector<ConstView> going{out.key.all(), out.value.all()};
  const std::vector<View> coming{in.key.all(), in.value.all()};
  return permute(step.rank.communicator, group, 1, going, coming, step.variant.messages);
}

void round_through(const DType& format, const View& view) {
  for_each_element(view, [&](index batch, index head, index row, index channel) {
    view.set(batch, head, row, channel, format.round(view.value(batch, head, row, channel)));
  });
}

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

Task<Requests> MeshSteps::hop_of_keys(const RingStep& step, const KeysAndValues& out, const KeysAndValues& in) const {
  Requests requests = hop(step, step.rank.ring, out, in);
  co_return requests;
}

KeysAndValues MeshSteps::next_keys(const RingStep&, KeysAndValues current, KeysAndValues next) const {
  current.release();
  return next;
}

double MeshSteps::merged_log_sum_exp(const RingStep&, double before, double of_part) const {
  return log_of_both(before, of_part);
}

Buffer MeshSteps::delta(Rank& rank, const LocalQueries& queries, const RankSaved& saved) const {
  return delta_of(rank, queries, saved);
}

Requests MeshSteps::hop_of_sums(const RingStep& step, const Blocks&, const KeysAndValues& out,
                                const KeysAndValues& in) const {
  return hop(step, step.rank.ring, out, in);
}

/// Form B of docs/tolerance.md, "Merges".
void MeshSteps::merge(const RingStep& step, const Blocks& blocks, Buffer& part, Buffer& log_sum_exp,
                      const RankAnswer& sums) const {
  before_merge(step, blocks, part, log_sum_exp);
  const View out = sums.out.all(), all = sums.log_sum_exp.all();
  index from = 0;
  for (const SequenceBlock& block : blocks)
    for (index query = block.queries.first; query <= block.queries.last; ++query, ++from)
      for (index head = 0; head < out.extents()[1]; ++head) {
        const index row = step.queries.rows.begin(block.sequence) + query;
        const double before = all.value(0, head, row, 0), of_part = log_sum_exp.all().value(0, head, from, 0);
        if (of_part == -std::numeric_limits<double>::infinity()) continue;
        const auto share = static_cast<float>(1 / (1 + std::exp(before - of_part)));
        for (index c = 0; c < out.extents()[3]; ++c) {
          const auto own = static_cast<float>(out.value(0, head, row, c));
          out.set(0, head, row, c, own - share * (own - static_cast<float>(part.all().value(0, head, from, c))));
        }
        all.set(0, head, row, 0, merged_log_sum_exp(step, before, of_part));
      }
}

Task<RankAnswer> MeshSteps::ring_forward(Rank& rank, RankInputs held) const {
  const RingVariant variant = this->variant(rank);
  require(variant.merge == MergeForm::sigmoid, "the steps of mutants merge finished answers");
  const HeldHeads heads = head_numbers(rank);
  const Problem& whole = rank.attention.whole();
  const index N = steps(rank);
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, held.query};
  if (rank.ring.size() == 1) {
    RankAnswer alone = local_forward(rank, held, queries);
    answered(rank, alone);
    co_return alone;
  }

  const HeldRows numbers = row_numbers(rank, rank.queries, rank.ring.place, false);
  const LocalQueries numbered{numbers, heads, held.query};
  RankAnswer sums = nothing_seen(rank, queries);
  KeysAndValues current(std::move(held.key), std::move(held.value));
  for (index number = 0; number < N; ++number) {
    const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(-number));
    const RingStep step{rank, variant, queries, keys, number, false};
    const bool hops = number < N - 1 || variant.hops == Hops::all;
    std::optional<KeysAndValues> next;
    Requests under_way;
    if (hops) {
      const index coming = rank.keys.of_ring(rank.ring.beside(-number - 1)).count();
      next.emplace(rank, "KV", current.key.dtype(), current.value.dtype(), coming, heads);
      Task<Requests> started = hop_of_keys(step, current, *next);
      under_way = co_await started;
    }
    const Blocks some = blocks(step);
    if (!some.empty()) {
      Buffer out(rank.device, "part of out", *variant.part, query_rows(some), heads.query.count(),
                 whole.shape.value_dim);
      Buffer log_sum_exp(rank.device, "part of log_sum_exp", dtype("f32"), query_rows(some), heads.query.count(), 1);
      const HeldRows key_numbers = row_numbers(rank, rank.keys, step.source(), false);
      const LocalKeys local{key_numbers, current.key, current.value};
      rank.attention.forward(some, numbered, local, out, log_sum_exp);
      merge(step, some, out, log_sum_exp, sums);
    }
    Task<> hopped = all_of(std::move(under_way));
    co_await hopped;
    if (hops) current = next_keys(step, std::move(current), std::move(*next));
  }
  current.release();
  held.query.release();
  if (const DType& stored = whole.log_sum_exp_dtype(); stored != sums.log_sum_exp.dtype())
    sums.log_sum_exp = rounded(rank, "log_sum_exp", sums.log_sum_exp, stored);
  Buffer out(rank.device, "out", whole.output, rows.count(), heads.query.count(), whole.shape.value_dim);
  round_into(sums.out.all(), out.all());
  sums.out.release();
  RankAnswer merged{std::move(out), std::move(sums.log_sum_exp)};
  answered(rank, merged);
  co_return merged;
}

// long: buffers live from hop to hop, and coroutines of g++ 12 want each task in a variable
Task<RankGradients> MeshSteps::ring_backward(Rank& rank, RankSaved saved) const {
  const RingVariant variant = this->variant(rank);
  const HeldHeads heads = head_numbers(rank);
  const Problem& whole = rank.attention.whole();
  const index N = steps(rank);
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, saved.query};
  if (rank.ring.size() == 1) co_return local_backward(rank, saved, queries, *variant.key_gradients);

  const HeldRows numbers = row_numbers(rank, rank.queries, rank.ring.place, true);
  const LocalQueries numbered{numbers, heads, saved.query};
  Buffer delta = this->delta(rank, queries, saved);
  if (rank.attention.takes_delta()) saved.out.release();
  const LocalAnswers answers{saved.out, saved.log_sum_exp, saved.dout, delta};
  Buffer dquery(rank.device, "sum of dquery", dtype("f32"), rows.count(), heads.query.count(), whole.shape.dim);
  dquery.clear();
  KeysAndValues current(std::move(saved.key), std::move(saved.value));
  std::optional<KeysAndValues> sums, coming;
  Requests sums_under_way;
  for (index number = 0; number < N; ++number) {
    const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(-number));
    const RingStep step{rank, variant, queries, keys, number, true};
    const index next_rows = rank.keys.of_ring(rank.ring.beside(-number - 1)).count();
    const bool hops = number < N - 1 || variant.hops == Hops::all;
    std::optional<KeysAndValues> next, share;
    Requests under_way;
    if (hops) {
      next.emplace(rank, "KV", current.key.dtype(), current.value.dtype(), next_rows, heads);
      Task<Requests> started = hop_of_keys(step, current, *next);
      under_way = co_await started;
    }
    const Blocks some = blocks(step);
    if (!some.empty() || number == 0) {
      share.emplace(rank, "share of dKV", *variant.sums, *variant.sums, keys.count(), heads);
      share->key.clear();
      share->value.clear();
      const HeldRows key_numbers = row_numbers(rank, rank.keys, step.source(), true);
      const LocalKeys local{key_numbers, current.key, current.value};
      const LocalGradients gradients{dquery, share->key, share->value, dbias(step)};
      rank.attention.add_backward(some, numbered, local, answers, gradients);
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
    coming.emplace(rank, "sum of dKV", *variant.sums, *variant.sums, next_rows, heads);
    sums_under_way = hop_of_sums(step, some, *sums, *coming);
  }
  Task<> home = all_of(std::move(sums_under_way));
  co_await home;
  sums.reset();
  delta.release();
  current.release();
  for (Buffer* done : {&saved.query, &saved.out, &saved.dout, &saved.log_sum_exp}) done->release();
  before_rounding(rank, dquery);
  Buffer dq = rounded(rank, "dquery", dquery, whole.output);
  dquery.release();
  RankGradients gradients{std::move(dq), rounded(rank, "dkey", coming->key, *variant.key_gradients),
                          rounded(rank, "dvalue", coming->value, *variant.key_gradients)};
  co_return gradients;
}

}  // namespace attestone::inline mutants
