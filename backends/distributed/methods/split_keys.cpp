// SPDX-License-Identifier: Apache-2.0
// Decode context parallelism: keys stay, every device receives all queries, and answers return to their owners.
#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/methods/merge_costs.hpp"
#include "backends/distributed/methods/ring_method.hpp"
#include "backends/distributed/rank/buffers.hpp"
#include "backends/distributed/rank/gathered_rows.hpp"
#include "backends/distributed/rank/key_value.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

/// Decoding with a cache that no device can hold alone, as in vLLM (decode context parallelism) and Helix (N. Bhatia et
/// al., arXiv 2507.07120): few queries are gathered by every device, answers for its own keys go to the owner of the
/// query, who merges them. The backward pass is ours.
class SplitKeys final : public RingMethod {
 public:
  using RingMethod::RingMethod;

  Task<RankAnswer> forward(Rank&, RankInputs) const override;
  Task<RankGradients> backward(Rank&, RankSaved) const override;
  RankCosts forward_costs(const CostedRank&) const override;
  RankCosts backward_costs(const CostedRank&) const override;
};

const Registration<RankProgramEntry> registered{{
    .name = "split_keys",
    .summary = "keys and values stay, all queries come to all devices, and answers for some keys go to their owner",
    .settings = RingMethod::answer_settings(),
    .examples = RingMethod::answer_examples(),
    .meshes = {"ring:1", "ring:2", "ring:5", "ring:3+batch:2"},
    .make = [](const Settings& settings) -> std::shared_ptr<const RankProgram> {
      return std::make_shared<SplitKeys>("split_keys", std::vector<std::string_view>{"ring", "batch"}, settings);
    },
}};

/// Room for all rows of a tensor of queries, of which the rank has its own.
Buffer room_for_all(Rank& rank, const char* name, const Buffer& own) {
  return room_like(rank, name, own, rank.queries.all().count());
}

/// The rows of each place, of all rows, go to it; [places] is what each of them has for the own ones.
Task<> to_owners(Rank& rank, const Buffers& of_all, const std::vector<Buffers>& returned) {
  std::vector<Request> under_way;
  for (std::size_t tensor = 0; tensor < of_all.size(); ++tensor) {
    std::vector<std::vector<ConstView>> out;
    std::vector<std::vector<View>> in;
    for (index place = 0; place < rank.ring.size(); ++place) {
      const std::vector<View> rows = gathered_rows(rank.queries, place, of_all[tensor]);
      const Buffer& own = returned[static_cast<std::size_t>(place)][tensor];
      out.emplace_back(rows.begin(), rows.end());
      in.push_back(placed_rows(rank.queries, rank.ring.place, of_all[tensor], own).own);
    }
    for (Request& request : all_to_all(rank.communicator, rank.ring, out, in)) under_way.push_back(std::move(request));
  }
  return all_of(std::move(under_way));
}

/// Visits what the places have for the rank's own rows, in the order of a ring: its own first, then those behind it.
template <class Visit>
void in_order_of_ring(const Rank& rank, std::vector<Buffers>& returned, Visit visit) {
  for (index back = 0; back < rank.ring.size(); ++back) {
    Buffers& one = returned[static_cast<std::size_t>(rank.ring.beside(-back))];
    visit(one);
    one.clear();
  }
}

Task<RankAnswer> SplitKeys::forward(Rank& rank, RankInputs held) const {
  const HeldHeads heads = rank.held_heads();
  const HeldRows& keys = rank.keys.of_ring(rank.ring.place);
  const LocalQueries own{rank.queries.of_ring(rank.ring.place), heads, held.query};
  if (rank.ring.size() == 1) co_return local_forward(rank, held, own);

  Buffer query = room_for_all(rank, "gathered query", held.query);
  Task<> gathered = gather_rows(rank, rank.queries, {{held.query, query}});
  co_await gathered;
  held.query.release();

  const RingVariant variant = this->variant(rank);
  const auto answer = running_answer(variant.merge, rank, own, *variant.part);
  const LocalQueries all{rank.queries.all(), heads, query};
  Buffers part = answer->part(rank.attention.blocks_of_all(all, keys, false), all, {keys, held.key, held.value});
  for (Buffer* done : {&query, &held.key, &held.value}) done->release();

  std::vector<Buffers> returned;
  for (index place = 0; place < rank.ring.size(); ++place) returned.push_back(answer->room(own.rows.count()));
  Task<> came = to_owners(rank, part, returned);
  co_await came;
  part.clear();
  const auto own_rows = every_row(own.rows);
  in_order_of_ring(rank, returned, [&](const Buffers& one) { answer->merge(own_rows, own, one); });
  co_return answer->finish();
}

/// Sends the queries and their answers to all keys, whose gradients are finished there; shares of dQ go to their owner.
Task<RankGradients> SplitKeys::backward(Rank& rank, RankSaved saved) const {
  const HeldHeads heads = rank.held_heads();
  const Problem& whole = rank.attention.whole();
  const HeldRows& keys = rank.keys.of_ring(rank.ring.place);
  const LocalQueries own{rank.queries.of_ring(rank.ring.place), heads, saved.query};
  if (rank.ring.size() == 1) co_return local_backward(rank, saved, own, whole.output);

  const bool by_delta = rank.attention.takes_delta();
  Buffer delta = delta_of(rank, own, saved);
  (by_delta ? saved.out : delta).release();
  Buffer& known = by_delta ? delta : saved.out;
  Buffer query = room_for_all(rank, "gathered query", saved.query);
  Buffer dout = room_for_all(rank, "gathered dout", saved.dout);
  Buffer log_sum_exp = room_for_all(rank, "gathered log_sum_exp", saved.log_sum_exp);
  Buffer known_of_all = room_for_all(rank, by_delta ? "gathered delta" : "gathered out", known);
  Task<> gathered =
      gather_rows(rank, rank.queries,
                  {{saved.query, query}, {saved.dout, dout}, {saved.log_sum_exp, log_sum_exp}, {known, known_of_all}});
  co_await gathered;
  for (Buffer* done : {&saved.query, &saved.dout, &saved.log_sum_exp, &known}) done->release();

  const auto room = [&](index rows) {
    Buffers dquery;
    dquery.emplace_back(rank.device, "share of dquery", dtype("f32"), rows, heads.query.count(), whole.shape.dim);
    dquery.front().clear();
    return dquery;
  };
  const LocalQueries all{rank.queries.all(), heads, query};
  Buffers shares = room(all.rows.count());
  KeyValue gradients(rank, "dKV", whole.output, whole.output, keys.count(), heads);
  gradients.clear();
  rank.attention.backward(rank.attention.blocks_of_all(all, keys, false), all, {keys, saved.key, saved.value},
                          {known_of_all, log_sum_exp, dout, known_of_all},
                          {shares[0], gradients.key, gradients.value, rank.shared.dbias});
  for (Buffer* done : {&query, &dout, &log_sum_exp, &known_of_all, &saved.key, &saved.value}) done->release();

  std::vector<Buffers> returned;
  for (index place = 0; place < rank.ring.size(); ++place) returned.push_back(room(own.rows.count()));
  Task<> came = to_owners(rank, shares, returned);
  co_await came;
  shares.clear();
  Buffer sum(rank.device, "sum of dquery", dtype("f32"), own.rows.count(), heads.query.count(), whole.shape.dim);
  sum.clear();
  in_order_of_ring(rank, returned, [&](const Buffers& one) { add(one[0].all(), sum.all()); });
  Buffer dquery = rounded(rank, "dquery", sum, whole.output);
  sum.release();
  RankGradients result{std::move(dquery), std::move(gradients.key), std::move(gradients.value)};
  co_return result;
}

// Costs: what a rank sends and holds, in closed form.

/// Rows of queries, times heads, that a rank has and all have.
struct QueryRows {
  index own, all;

  explicit QueryRows(const CostedRank& rank) {
    const index heads = rank.heads.of(rank.ulysses_place).query.count();
    own = rank.queries.of_ring(rank.ring_place).count() * heads;
    all = rank.queries.all().count() * heads;
  }
};

/// Round the ring those of each place pass but for those of the place ahead, each tensor a message a hop.
void send_gathered(const CostedRank& rank, const Attended& own, index tensors, index width_of_row, RankCosts& costs) {
  for (index hop = 0; hop < rank.ring - 1; ++hop) costs.send(tensors, own.rows(hop) * width_of_row);
}

/// All rows leave but the own ones; then those of the own rows are here once for each place, in `part(rows)`, and
/// become one beside `sums`.
template <class Part>
void return_costs(const CostedRank& rank, const QueryRows& rows, const Moment& stays, const Moment& sums,
                  const Part& part, RankCosts& costs) {
  const Moment own = part(rows.own);
  costs.send((rank.ring - 1) * std::ssize(own), bytes_of(part(rows.all)) - bytes_of(own));
  Moment returned;
  for (index place = 0; place < rank.ring; ++place) returned = returned + own;
  costs.hold(stays + part(rows.all) + returned);
  costs.hold(stays + sums + returned);
}

RankCosts SplitKeys::forward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const RingVariant variant = this->variant(rank);
  const DType& in = rank.problem.input;
  const Moment query{{"query", own.queries(in)}}, shard = own.shard(0, "key", "value");
  if (rank.ring == 1) {
    local_forward_costs(rank, own, query + shard, costs);
    return costs;
  }
  const QueryRows rows(rank);
  const index row = rank.problem.shape.dim * width(in);
  const Moment gathered{{"gathered query", rows.all * row}}, sums = merged_sums(own, variant);
  const auto part = [&](index some) { return merged_part(rank, some, variant); };
  send_gathered(rank, own, 1, row, costs);
  costs.hold(query + shard + gathered);
  costs.hold(shard + gathered + sums + part(rows.all));
  return_costs(rank, rows, sums, {}, part, costs);
  hold_merged_answer(rank, own, variant, costs);
  return costs;
}

RankCosts SplitKeys::backward_costs(const CostedRank& rank) const {
  RankCosts costs;
  const Attended own(rank);
  const Shape& shape = rank.problem.shape;
  const DType &f32 = dtype("f32"), &in = rank.problem.input, &out = rank.problem.output;
  const Moment read = read_of_queries(rank, own, "dout"), shard = own.shard(0, "key", "value");
  if (rank.ring == 1) {
    local_backward_costs(rank, own, out, read, costs);
    return costs;
  }
  const QueryRows rows(rank);
  const bool by_delta = !rank.keeps_out;
  const index of_query = shape.dim * width(in), of_dout = shape.value_dim * width(out);
  const index of_log_sum_exp = width(rank.problem.log_sum_exp_dtype()), of_known = by_delta ? width(f32) : of_dout;
  const Moment held{{"query", rows.own * of_query},
                    {"dout", rows.own * of_dout},
                    {"log_sum_exp", rows.own * of_log_sum_exp},
                    {by_delta ? "delta" : "out", rows.own * of_known}};
  const Moment gathered{{"gathered query", rows.all * of_query},
                        {"gathered dout", rows.all * of_dout},
                        {"gathered log_sum_exp", rows.all * of_log_sum_exp},
                        {by_delta ? "gathered delta" : "gathered out", rows.all * of_known}};
  const Moment gradients{{"dKV", own.key_values(0, out)}}, sum{{"sum of dquery", own.queries(f32)}};
  const auto share = [&](index some) { return Moment{{"share of dquery", some * shape.dim * width(f32)}}; };
  send_gathered(rank, own, 4, of_query + of_dout + of_log_sum_exp + of_known, costs);
  costs.hold(read + shard + Moment{{"out", own.outs(out)}});
  costs.hold(held + shard + gathered);
  costs.hold(shard + gathered + gradients + share(rows.all));
  return_costs(rank, rows, gradients, sum, share, costs);
  costs.hold(gradients + sum + Moment{{"dquery", own.queries(out)}});
  return costs;
}

}  // namespace
}  // namespace attestone::inline backends
