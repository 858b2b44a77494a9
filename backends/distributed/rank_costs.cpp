// SPDX-License-Identifier: Apache-2.0
// Pass by pass: what leaves a rank, and what it holds at every moment at which something is new.
#include "backends/distributed/rank_costs.hpp"

#include <algorithm>

#include "backends/distributed/ring.hpp"

namespace attestone {
namespace {

constexpr index f32 = 4;  ///< bytes

index width(const DType& format) { return format.bytes(1); }

using Moment = std::vector<NamedBytes>;

Moment operator+(Moment some, const Moment& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

/// Bytes of what a rank attends to: all rows of its own heads, after the exchange if there is one.
class Attended {
 public:
  explicit Attended(const CostedRank& rank)
      : rank_(rank),
        shape_(rank.problem.shape),
        heads_(rank.heads.of(rank.ulysses_place)),
        rows_(rank.queries.of_ring(rank.ring_place).count()) {}

  bool exchanged() const { return rank_.heads.members() > 1; }
  index queries(const DType& format) const { return rows_ * heads_.query.count() * shape_.dim * width(format); }
  index outs(const DType& format) const { return rows_ * heads_.query.count() * shape_.value_dim * width(format); }
  index log_sum_exp() const { return numbers() / f32 * width(rank_.problem.log_sum_exp_dtype()); }
  /// One number in f32 for each row and head.
  index numbers() const { return rows_ * heads_.query.count() * f32; }
  /// Rows, times heads, that a block has of the keys so many steps back: of sequences that have none there, nothing.
  index part_rows(index steps) const {
    const HeldRows &queries = rank_.queries.of_ring(rank_.ring_place), &keys = rank_.keys.of_ring(place(steps));
    index rows = 0;
    for (index sequence = 0; sequence < queries.sequences(); ++sequence)
      if (keys.count(sequence) > 0) rows += queries.count(sequence);
    return rows * heads_.query.count();
  }
  /// K, or its gradient, of the place so many steps back; V; and both.
  index keys(index steps, const DType& format) const { return key_rows(steps) * shape_.dim * width(format); }
  index values(index steps, const DType& format) const { return key_rows(steps) * shape_.value_dim * width(format); }
  index key_values(index steps, const DType& format) const { return keys(steps, format) + values(steps, format); }

  /// K and V of a step as the ring holds them: those that it begins with, or those that came.
  Moment shard(index step, std::string_view key, std::string_view value) const {
    const DType& in = rank_.problem.input;
    if (step == 0) return {{key, keys(0, in)}, {value, values(0, in)}};
    return {{"KV", key_values(step, in)}};
  }

 private:
  index place(index steps) const { return ((rank_.ring_place - steps) % rank_.ring + rank_.ring) % rank_.ring; }
  index key_rows(index steps) const { return rank_.keys.of_ring(place(steps)).count() * heads_.kv.count(); }

  const CostedRank& rank_;
  const Shape& shape_;
  HeldHeads heads_;
  index rows_;
};

/// The rows of a rank before an exchange, of all heads, and what of them leaves it.
class Exchanged {
 public:
  Exchanged(const Shards& shards, const CostedRank& rank, index heads, index own_heads)
      : own_rows_(shards.of(rank.ring_place, rank.ulysses_place).count()),
        all_rows_(shards.of_ring(rank.ring_place).count()),
        heads_(heads),
        own_heads_(own_heads) {}

  /// Rows, times heads, that are sent when rows become heads, when heads become rows, and that are there before.
  index to_heads() const { return own_rows_ * (heads_ - own_heads_); }
  index to_rows() const { return (all_rows_ - own_rows_) * own_heads_; }
  index before() const { return own_rows_ * heads_; }
  index own_rows() const { return own_rows_; }

 private:
  index own_rows_, all_rows_, heads_, own_heads_;
};

Exchanged exchanged_queries(const CostedRank& rank) {
  return {rank.queries, rank, rank.problem.shape.heads, rank.heads.of(rank.ulysses_place).query.count()};
}
Exchanged exchanged_keys(const CostedRank& rank) {
  return {rank.keys, rank, rank.heads.kv_copies(), rank.heads.of(rank.ulysses_place).kv.count()};
}

index messages_of(const RingVariant& variant) { return variant.messages == Messages::together ? 1 : 2; }

void local_forward_costs(const CostedRank& rank, const Attended& own, const Moment& held, RankCosts& costs) {
  costs.hold(held + Moment{{"out", own.outs(rank.problem.output)}, {"log_sum_exp", own.log_sum_exp()}});
}

/// Q, one shard, the next one, the sums, and a part; at the end the sums and the answer. Of sums and parts that are not
/// divided there are two numbers a row, m and l, in place of log_sum_exp.
void ring_forward_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant, RankCosts& costs) {
  const Problem& whole = rank.problem;
  const bool divided = variant.merge != MergeForm::rescaled_sums, is_stored = whole.log_sum_exp_dtype() == dtype("f32");
  const std::string_view query = own.exchanged() ? "exchanged query" : "query";
  const std::string_view key = own.exchanged() ? "exchanged key" : "key";
  const std::string_view value = own.exchanged() ? "exchanged value" : "value";
  Moment sums{{"sum of out", own.outs(dtype("f32"))}};
  if (divided)
    sums.push_back({"log_sum_exp", own.numbers()});
  else
    sums = sums + Moment{{"largest score", own.numbers()}, {"sum of weights", own.numbers()}};
  for (index step = 0; step < rank.ring; ++step) {
    const index rows = own.part_rows(step);
    Moment now = sums + own.shard(step, key, value);
    now.push_back({query, own.queries(whole.input)});
    if (step < rank.ring - 1 || variant.wasted_hop) {
      costs.send(messages_of(variant), own.key_values(step, whole.input));
      now.push_back({"KV", own.key_values(step + 1, whole.input)});
    }
    now.push_back({"part of out", rows * whole.shape.value_dim * width(divided ? *variant.part : dtype("f32"))});
    if (divided)
      now.push_back({"part of log_sum_exp", rows * f32});
    else
      now = now + Moment{{"part of largest score", rows * f32}, {"part of sum of weights", rows * f32}};
    costs.hold(now);
  }
  if (!divided || !is_stored) costs.hold(sums + Moment{{"log_sum_exp", own.log_sum_exp()}});
  costs.hold(Moment{
      {"sum of out", own.outs(dtype("f32"))}, {"log_sum_exp", own.log_sum_exp()}, {"out", own.outs(whole.output)}});
}

void local_backward_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant, const Moment& read,
                          RankCosts& costs) {
  const DType &output = rank.problem.output, &of_keys = *variant.key_gradients;
  const Moment held = read + own.shard(0, "key", "value"), out{{"out", own.outs(output)}};
  const Moment gradients{
      {"dquery", own.queries(output)}, {"dkey", own.keys(0, of_keys)}, {"dvalue", own.values(0, of_keys)}};
  costs.hold(held + out);
  costs.hold(rank.keeps_out ? held + out + gradients : held + gradients);
}

/// `read` and the sum of dQ stay; two shards, and three sums of their gradients: sent, coming, added.
void ring_backward_costs(const CostedRank& rank, const Attended& own, const RingVariant& variant, const Moment& read,
                         RankCosts& costs) {
  const Problem& whole = rank.problem;
  const Moment out{{"out", own.outs(whole.output)}}, dquery{{"dquery", own.queries(whole.output)}};
  const Moment sum{{"sum of dquery", own.queries(dtype("f32"))}};
  const Moment stays = rank.keeps_out ? read + sum + out : read + sum;
  const auto sums = [&](index step) { return own.key_values(step, *variant.sums); };
  costs.hold(read + out + own.shard(0, "key", "value"));
  for (index step = 0; step < rank.ring; ++step) {
    const bool hops = step < rank.ring - 1 || variant.wasted_hop;
    if (hops) costs.send(messages_of(variant), own.key_values(step, whole.input));
    costs.send(messages_of(variant), sums(step));
    const Moment next{{"KV", hops ? own.key_values(step + 1, whole.input) : 0}};
    Moment now = stays + own.shard(step, "key", "value") + next;
    if (step == 0 || own.part_rows(step) > 0) now.push_back({"share of dKV", sums(step)});
    const std::string_view sent = step == 1 ? "share of dKV" : "sum of dKV";
    if (step > 0) now = now + Moment{{sent, sums(step - 1)}, {"sum of dKV", sums(step)}};
    costs.hold(now);
    const std::string_view here = step == 0 ? "share of dKV" : "sum of dKV";
    costs.hold(stays + next + Moment{{here, sums(step)}, {"sum of dKV", sums(step + 1)}});
  }
  const Moment home{{"sum of dKV", sums(0)}};
  costs.hold(sum + dquery + home);
  costs.hold(dquery + home +
             Moment{{"dkey", own.keys(0, *variant.key_gradients)}, {"dvalue", own.values(0, *variant.key_gradients)}});
}

}  // namespace

void RankCosts::send(index more_messages, index more_bytes) {
  messages += more_messages;
  bytes += more_bytes;
}

void RankCosts::hold(std::span<const NamedBytes> buffers) {
  MemoryUse now;
  for (const NamedBytes& buffer : buffers) {
    if (buffer.bytes == 0) continue;
    now.bytes += buffer.bytes;
    now.by_name[std::string(buffer.name)] += buffer.bytes;
  }
  peak.bytes = std::max(peak.bytes, now.bytes);
  for (const auto& [name, most] : now.by_name) peak.by_name[name] = std::max(peak.by_name[name], most);
}

RankCosts forward_costs(const CostedRank& rank, const RingVariant& variant) {
  RankCosts costs;
  const Attended own(rank);
  const Shape& shape = rank.problem.shape;
  const DType &in = rank.problem.input, &out = rank.problem.output;
  const Exchanged q = exchanged_queries(rank), k = exchanged_keys(rank);
  const index keys = k.own_rows() * shape.kv_heads * width(in);
  const Moment inputs{
      {"query", q.before() * shape.dim * width(in)}, {"key", keys * shape.dim}, {"value", keys * shape.value_dim}};
  const Moment exchanged{
      {"exchanged query", own.queries(in)}, {"exchanged key", own.keys(0, in)}, {"exchanged value", own.values(0, in)}};
  if (rank.ring == 1)
    local_forward_costs(rank, own, own.exchanged() ? exchanged : inputs, costs);
  else
    ring_forward_costs(rank, own, variant, costs);
  if (!own.exchanged()) return costs;
  costs.hold(inputs + exchanged);
  costs.hold(Moment{
      {"out", own.outs(out)}, {"log_sum_exp", own.log_sum_exp()}, {"out", q.before() * shape.value_dim * width(out)}});
  const index in_bytes = q.to_heads() * shape.dim + k.to_heads() * (shape.dim + shape.value_dim);
  costs.send(4 * (rank.heads.members() - 1), in_bytes * width(in) + q.to_rows() * shape.value_dim * width(out));
  return costs;
}

RankCosts backward_costs(const CostedRank& rank, const RingVariant& variant) {
  RankCosts costs;
  const Attended own(rank);
  const Shape& shape = rank.problem.shape;
  const DType &in = rank.problem.input, &out = rank.problem.output, &of_keys = *variant.key_gradients;
  const Exchanged q = exchanged_queries(rank), k = exchanged_keys(rank);
  const std::string_view dout = own.exchanged() ? "exchanged dout" : "dout";
  const Moment saved{{"query", own.queries(in)}, {"log_sum_exp", own.log_sum_exp()}};
  const Moment read = saved + Moment{{dout, own.outs(out)}, {"delta", own.numbers()}};
  if (rank.ring == 1)
    local_backward_costs(rank, own, variant, read, costs);
  else
    ring_backward_costs(rank, own, variant, read, costs);
  if (!own.exchanged()) return costs;
  costs.hold(saved + own.shard(0, "key", "value") +
             Moment{{"out", own.outs(out)},
                    {"exchanged dout", own.outs(out)},
                    {"dout", q.before() * shape.value_dim * width(out)}});
  const Moment attended{
      {"dquery", own.queries(out)}, {"dkey", own.keys(0, of_keys)}, {"dvalue", own.values(0, of_keys)}};
  const Moment dquery{{"dquery", q.before() * shape.dim * width(out)}};
  const Moment dkey{{"dkey", k.before() * shape.dim * width(of_keys)}};
  const Moment dvalue{{"dvalue", k.before() * shape.value_dim * width(of_keys)}};
  costs.hold(attended + dquery + dkey + dvalue);
  if (rank.heads.copies() > 1) {  // added up when the exchanged gradients are gone, dK first
    const index heads = k.own_rows() * shape.kv_heads * width(out);
    const Moment own_dkey{{"dkey", heads * shape.dim}}, own_dvalue{{"dvalue", heads * shape.value_dim}};
    costs.hold(dquery + dkey + dvalue + own_dkey);
    costs.hold(dquery + own_dkey + dvalue + own_dvalue);
  }
  costs.send(4 * (rank.heads.members() - 1), (q.to_heads() * shape.value_dim + q.to_rows() * shape.dim) * width(out) +
                                                 k.to_rows() * (shape.dim + shape.value_dim) * width(of_keys));
  return costs;
}

}  // namespace attestone
