// SPDX-License-Identifier: Apache-2.0
// All queries on the keys of each device, and what comes of it at their owners.
#include "backends/distributed/methods/split_keys.hpp"

#include "backends/distributed/messages/elements.hpp"
#include "backends/distributed/rank/buffers.hpp"
#include "backends/distributed/rank/gathered_rows.hpp"
#include "backends/distributed/rank/key_value.hpp"
#include "backends/distributed/rank/local_steps.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "reference/registry.hpp"

namespace attestone::inline backends {
namespace {

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

}  // namespace

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

}  // namespace attestone::inline backends
