// SPDX-License-Identifier: Apache-2.0
// All-gather: each device gathers all keys and values before it attends, and scatters the sums of their gradients.
#include "backends/distributed/costs/attended.hpp"
#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/methods/ring_method.hpp"
#include "backends/distributed/rank/gathered_chunks.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

/// The method that trained Llama 3: A. Grattafiori et al., "The Llama 3 Herd of Models" (arXiv 2407.21783, section
/// 3.3.2); gather and scatter go round a ring. Nothing is merged, for a local call has all keys. In chunks of heads as
/// ring-flash-attention does it for packed sequences (llama3_flash_attn_varlen.py, heads_k_stride).
class AllGather final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  index key_parts(const Mesh&) const override { return 1; }
  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;
};

const Registration<RankProgramEntry> registered{{
    .name = "all_gather",
    .summary = "all keys and values are gathered by every device, and their gradients scattered",
    .settings = {RingMethod::placement_setting(),
                 RingMethod::gradients_setting(),
                 {"chunks", "1", integers_from(1),
                  "into how many chunks the kv heads are cut: the next one is gathered while one is attended to"}},
    .examples = {"placement=zigzag", "placement=striped", "gradients=output", "chunks=2",
                 "placement=zigzag:gradients=output:chunks=3"},
    .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<AllGather>("all_gather", std::vector<std::string_view>{"ring", "batch"}, settings);
    },
}};

Task<RankAnswer> AllGather::forward(Rank& rank, RankInputs held) const {
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
  if (rank.ring.size() == 1) co_return local_forward(rank, held, queries);

  const Problem& whole = rank.attention.whole();
  const index rows = queries.rows.count(), heads = queries.heads.query.count();
  GatheredChunks chunks(rank, {std::move(held.key), std::move(held.value)}, number("chunks"));
  std::optional<RankAnswer> answer;
  for (const Rank& chunk : chunks.ranks()) {
    Task<KeyValue> gathering = chunks.next();
    const KeyValue gathered = co_await gathering;
    if (!answer)
      answer.emplace(RankAnswer{Buffer(rank.device, "out", whole.output, rows, heads, whole.shape.value_dim),
                                Buffer(rank.device, "log_sum_exp", whole.log_sum_exp_dtype(), rows, heads, 1)});
    attend(chunk, queries, gathered, *answer);
  }
  held.query.release();
  co_return std::move(*answer);
}

/// A message to the place ahead, and one from the place behind.
void pass_on(Rank& rank, const std::vector<View>& out, const std::vector<View>& in, std::vector<Request>& under_way,
             From from = From::current()) {
  const std::vector<ConstView> going(out.begin(), out.end());
  for (Request& request : permute(rank.communicator, rank.ring, 1, going, in, Messages::together, from))
    under_way.push_back(std::move(request));
}

/// The sums of the own rows: those of each place go round from the place ahead of it, and each place adds what it has.
Task<> scatter(Rank& rank, const KeyValue& all) {
  for (index hop = 1; hop < rank.ring.size(); ++hop) {
    const index leaves = rank.ring.beside(-hop), comes = rank.ring.beside(-hop - 1);
    const KeyValue coming(rank, "coming dKV", all.key.dtype(), all.value.dtype(), rank.keys.of_ring(comes).count(),
                          rank.held_heads());
    const PlacedRows key = placed_rows(rank.keys, comes, all.key, coming.key);
    const PlacedRows value = placed_rows(rank.keys, comes, all.value, coming.value);
    std::vector<Request> under_way;
    pass_on(rank, gathered_rows(rank.keys, leaves, all.key), key.own, under_way);
    pass_on(rank, gathered_rows(rank.keys, leaves, all.value), value.own, under_way);
    Task<> passed = all_of(std::move(under_way));
    co_await passed;
    for (const PlacedRows* rows : {&key, &value})
      for (std::size_t run = 0; run < rows->own.size(); ++run) add(rows->own[run], rows->gathered[run]);
  }
}

/// The rank's own rows of what is gathered, rounded once.
void round_own_rows(const Rank& rank, const Buffer& all, const Buffer& own) {
  const PlacedRows rows = placed_rows(rank.keys, rank.ring.place, all, own);
  for (std::size_t run = 0; run < rows.own.size(); ++run) round_into(rows.gathered[run], rows.own[run]);
}

Task<RankGradients> AllGather::backward(Rank& rank, RankSaved saved) const {
  const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), saved.query};
  const RingVariant variant = this->variant(rank);
  if (rank.ring.size() == 1) co_return local_backward(rank, saved, queries, *variant.key_gradients);

  const Problem& whole = rank.attention.whole();
  const auto of_own_rows = [&](const char* name, const Buffer& input) {
    return Buffer(rank.device, name, *variant.key_gradients, input.rows(), input.heads(), input.channels());
  };
  Buffer delta = delta_of(rank, queries, saved);
  if (rank.attention.takes_delta()) saved.out.release();
  GatheredChunks chunks(rank, {std::move(saved.key), std::move(saved.value)}, number("chunks"));
  std::optional<Buffer> dquery;
  std::optional<KeyValue> gradients;
  for (Rank& chunk : chunks.ranks()) {
    Task<KeyValue> gathering = chunks.next();
    KeyValue gathered = co_await gathering;
    if (!dquery)
      dquery.emplace(rank.device, "dquery", whole.output, saved.query.rows(), saved.query.heads(), whole.shape.dim);
    const LocalAnswers answers{saved.out, saved.log_sum_exp, saved.dout, delta};
    const KeyValue sums = share(chunk, queries, gathered, answers, *variant.sums, *dquery);
    gathered.release();
    if (chunks.finished())
      for (Buffer* done : {&delta, &saved.query, &saved.out, &saved.dout, &saved.log_sum_exp}) done->release();
    Task<> scattered = scatter(chunk, sums);
    co_await scattered;
    if (!gradients) gradients.emplace(of_own_rows("dkey", chunks.own().key), of_own_rows("dvalue", chunks.own().value));
    const Interval kv = chunk.held_heads().kv;
    round_own_rows(rank, sums.key, gradients->key.some_heads(kv));
    round_own_rows(rank, sums.value, gradients->value.some_heads(kv));
  }
  RankGradients all{*std::move(dquery), std::move(gradients->key), std::move(gradients->value)};
  co_return all;
}

// Costs: what a rank sends and holds, in closed form.

/// visit(chunk of heads, whether it is the last one, what is gathered of the next one meanwhile)
template <class Visit>
void for_each_chunk(const CostedRank& rank, index most, Visit visit) {
  const index count = rank.heads.chunks(most);
  const auto told = [&](index number) {
    CostedRank some = rank;
    some.heads = rank.heads.chunk(number, count);
    return some;
  };
  for (index number = 0; number < count; ++number) {
    const bool last = number == count - 1;
    const CostedRank some = told(number), next = told(last ? number : number + 1);
    const index coming = last ? 0 : Attended(next).all_key_values(rank.problem.input);
    visit(Attended(some), number == 0, last, Moment{{"gathered KV", coming}});
  }
}

/// Q and own keys; the keys that are gathered, and those of the next chunk; the answer, but while the first ones come.
RankCosts AllGather::forward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const DType &in = rank.problem.input, &out = rank.problem.output;
  const Moment query{{"query", own.queries(in)}}, shard = own.shard(0, "key", "value");
  const Moment answer{{"out", own.outs(out)}, {"log_sum_exp", own.log_sum_exp()}};
  if (rank.ring == 1) {
    local_forward_costs(rank, own, query + shard, costs);
    return costs;
  }
  for_each_chunk(rank, number("chunks"), [&](const Attended& chunk, bool first, bool last, const Moment& coming) {
    const Moment gathered{{"gathered KV", chunk.all_key_values(in)}};
    for (index hop = 0; hop < rank.ring - 1; ++hop) costs.send(2, chunk.key_values(hop, in));
    if (first) costs.hold(query + shard + gathered);
    costs.hold(query + (last ? Moment{} : shard) + gathered + coming + answer);
  });
  return costs;
}

/// Beside the own keys, until all have been gathered: keys of a chunk and of the next one, and the gradients of a
/// chunk; then these come one place after the other, and the own ones are rounded.
RankCosts AllGather::backward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const RingVariant variant = this->variant(rank);
  const DType &in = rank.problem.input, &out = rank.problem.output, &of_keys = *variant.key_gradients;
  const Moment read = read_of_queries(rank, own, "dout"), shard = own.shard(0, "key", "value");
  if (rank.ring == 1) {
    local_backward_costs(rank, own, of_keys, read, costs);
    return costs;
  }
  const Moment answered{{"out", own.outs(out)}}, stays = rank.keeps_out ? read + answered : read;
  const Moment rounded{{"dkey", own.keys(0, of_keys)}, {"dvalue", own.values(0, of_keys)}};
  costs.hold(read + answered + shard);
  for_each_chunk(rank, number("chunks"), [&](const Attended& chunk, bool first, bool last, const Moment& coming) {
    const Moment gathered{{"gathered KV", chunk.all_key_values(in)}};
    const Moment gradients{{"dquery", own.queries(out)}, {"sum of dKV", chunk.all_key_values(*variant.sums)}};
    const Moment waits = last ? Moment{} : stays + shard + coming, before = first ? Moment{} : rounded;
    if (first) costs.hold(stays + shard + gathered);
    costs.hold((last ? stays : waits) + gathered + gradients + before);
    for (index hop = 0; hop < rank.ring - 1; ++hop) {
      costs.send(2, chunk.key_values(hop, in));
      costs.send(2, chunk.key_values(hop + 1, *variant.sums));
      costs.hold(waits + gradients + before + Moment{{"coming dKV", chunk.key_values(hop + 2, *variant.sums)}});
    }
    costs.hold(waits + gradients + rounded);
  });
  return costs;
}

}  // namespace
}  // namespace attestone::inline backends
