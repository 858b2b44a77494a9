// SPDX-License-Identifier: Apache-2.0
// A right Ulysses: Q, K and V go to a member as one message, and so do dQ, dK and dV on their way back.
#include <algorithm>

#include "backends/distributed/messages/collectives.hpp"
#include "tests/conformance/meshes/right_programs/parts.hpp"
#include "tests/conformance/meshes/right_programs/right_program.hpp"
#include "tests/conformance/meshes/right_programs/right_programs.hpp"

namespace attestone {
namespace {

/// One tensor before and after its exchange.
struct Side {
  const Shards& shards;
  Interval HeldHeads::*heads;
  const Buffer &by_rows, &by_heads;
};

void append(std::vector<View>& all, const std::vector<View>& more) { all.insert(all.end(), more.begin(), more.end()); }

/// Adds the views exchanged with a member on the side of rows: some heads of own rows.
void add_rows_side(const Rank& rank, const Side& side, index member, std::vector<View>& views) {
  const HeldRows& own = side.shards.of(rank.ring.place, rank.ulysses.place);
  append(views, rows_of(side.by_rows, rank.heads.of(member).*side.heads, own));
}

/// Adds the views exchanged with a member on the side of heads: some rows of own heads.
void add_heads_side(const Rank& rank, const Side& side, index member, std::vector<View>& views) {
  const auto held = [&](index one) -> const HeldRows& { return side.shards.of(rank.ring.place, one); };
  const HeldRows& all = side.shards.of_ring(rank.ring.place);
  append(views, rows_among(side.by_heads, all_heads(side.by_heads), all, member, held));
}

enum class Direction { to_heads, to_rows };

/// Exchanges all sides in one message to each member.
Task<> exchanged(Rank& rank, Direction direction, std::vector<Side> sides) {
  std::vector<std::vector<ConstView>> out;
  std::vector<std::vector<View>> in;
  for (index member = 0; member < rank.ulysses.size(); ++member) {
    std::vector<View> rows, heads;
    for (const Side& side : sides) {
      add_rows_side(rank, side, member, rows);
      add_heads_side(rank, side, member, heads);
    }
    const bool to_heads = direction == Direction::to_heads;
    const std::vector<View>& going = to_heads ? rows : heads;
    out.emplace_back(going.begin(), going.end());
    in.push_back(to_heads ? heads : rows);
  }
  return all_of(all_to_all(rank.communicator, rank.ulysses, out, in));
}

class Fused final : public RightProgram {
 public:
  Fused() : RightProgram("one_message_to_each_member", {"ulysses", "batch"}) {}

  Support supports(const Problem& problem, const Mesh& mesh) const override {
    if (problem.shape.kv_heads < mesh.devices("ulysses")) return Support::refused("too few kv heads");
    return {};
  }

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override;
  Task<RankGradients> backward(Rank& rank, RankSaved saved) const override;

  RankCosts forward_costs(const CostedRank& rank) const override {
    const Sizes size(rank);
    if (rank.heads.members() == 1) return alone_forward_costs(size);
    const Own own(rank);
    const index d = size.shape().dim, dv = size.shape().value_dim, in = size.in();
    const index before = own.queries * size.shape().heads, keys = own.keys * size.shape().kv_heads;
    Paper paper;
    const auto inputs = paper.take({{"query", before * d * in}, {"key", keys * d * in}, {"value", keys * dv * in}});
    const auto query = paper.take({{"query of heads", size.query(0, in)}});
    const auto both = paper.take({{"key of heads", size.key(0, in)}, {"value of heads", size.value(0, in)}});
    paper.drop(inputs);
    const PaperAnswer answer = local_forward(paper, size, {query, both});
    paper.take({{"out", before * dv * size.out()}});
    paper.drop(answer.out);
    const index leaving = own.queries * (size.shape().heads - own.heads) * d +
                          own.keys * (size.shape().kv_heads - own.kv_heads) * (d + dv);
    const index returned = (own.all_queries - own.queries) * own.heads * dv;
    paper.send(2 * (rank.heads.members() - 1), leaving * in + returned * size.out());
    return paper.costs();
  }
  RankCosts backward_costs(const CostedRank& rank) const override {
    const Sizes size(rank);
    if (rank.heads.members() == 1) return alone_backward_costs(size, rank.keeps_out, size.out());
    const Own own(rank);
    const index d = size.shape().dim, dv = size.shape().value_dim, in = size.in(), out = size.out();
    const index before = own.queries * size.shape().heads, keys = own.keys * size.shape().kv_heads;
    Paper paper;
    const auto dout = paper.take({{"dout", before * dv * out}});
    const auto queries = paper.take({{"query", size.query(0, in)}, {"log_sum_exp", size.log_sum_exp(0)}});
    const auto both = paper.take({{"key", size.key(0, in)}, {"value", size.value(0, in)}});
    const auto saved_out = paper.take({{"out", size.answer(0, out)}});
    const auto all_dout = paper.take({{"dout of heads", size.answer(0, out)}});
    paper.drop(dout);
    local_backward(paper, size, rank.keeps_out, {queries, saved_out, both}, out);
    paper.drop(all_dout);
    paper.take({{"dquery", before * d * out}, {"dkey", keys * d * out}, {"dvalue", keys * dv * out}});
    const index elements = own.queries * (size.shape().heads - own.heads) * dv +
                           (own.all_queries - own.queries) * own.heads * d +
                           (own.all_keys - own.keys) * own.kv_heads * (d + dv);
    paper.send(2 * (rank.heads.members() - 1), elements * out);
    return paper.costs();
  }

 private:
  struct Own {
    index queries, keys, all_queries, all_keys, heads, kv_heads;

    explicit Own(const CostedRank& rank)
        : queries(rank.queries.of(0, rank.ulysses_place).count()),
          keys(rank.keys.of(0, rank.ulysses_place).count()),
          all_queries(rank.queries.of_ring(0).count()),
          all_keys(rank.keys.of_ring(0).count()),
          heads(rank.heads.of(rank.ulysses_place).query.count()),
          kv_heads(rank.heads.of(rank.ulysses_place).kv.count()) {}
  };
};

/// Room after an exchange to heads.
Buffer all_rows(Rank& rank, const char* name, const Buffer& own, const Shards& shards, Interval heads) {
  return {rank.device, name, own.dtype(), shards.of_ring(0).count(), heads.count(), own.channels()};
}
/// Room after one to rows.
Buffer own_rows(Rank& rank, const char* name, const Buffer& all, const Shards& shards, index heads) {
  return {rank.device, name, all.dtype(), shards.of(0, rank.ulysses.place).count(), heads, all.channels()};
}

Task<RankAnswer> Fused::forward(Rank& rank, RankInputs held) const {
  const HeldHeads heads = rank.held_heads();
  const HeldRows& rows = rank.queries.of_ring(0);
  const LocalQueries alone{rows, heads, held.query};
  if (rank.ulysses.size() == 1) co_return local_forward(rank, held, alone);
  RankInputs all{all_rows(rank, "query of heads", held.query, rank.queries, heads.query),
                 all_rows(rank, "key of heads", held.key, rank.keys, heads.kv),
                 all_rows(rank, "value of heads", held.value, rank.keys, heads.kv)};
  std::vector<Side> sides{{rank.queries, &HeldHeads::query, held.query, all.query},
                          {rank.keys, &HeldHeads::kv, held.key, all.key},
                          {rank.keys, &HeldHeads::kv, held.value, all.value}};
  Task<> came = exchanged(rank, Direction::to_heads, std::move(sides));
  co_await came;
  for (Buffer* done : {&held.query, &held.key, &held.value}) done->release();
  const LocalQueries queries{rows, heads, all.query};
  RankAnswer answer = local_forward(rank, all, queries);
  Buffer out = own_rows(rank, "out", answer.out, rank.queries, rank.attention.whole().shape.heads);
  std::vector<Side> back{{rank.queries, &HeldHeads::query, out, answer.out}};
  Task<> returned = exchanged(rank, Direction::to_rows, std::move(back));
  co_await returned;
  answer.out = std::move(out);
  co_return answer;
}

Task<RankGradients> Fused::backward(Rank& rank, RankSaved saved) const {
  const HeldHeads heads = rank.held_heads();
  const LocalQueries queries{rank.queries.of_ring(0), heads, saved.query};
  if (rank.ulysses.size() == 1) co_return local_backward(rank, saved, queries, rank.attention.whole().output);
  const Shape& shape = rank.attention.whole().shape;
  Buffer dout = all_rows(rank, "dout of heads", saved.dout, rank.queries, heads.query);
  std::vector<Side> sides{{rank.queries, &HeldHeads::query, saved.dout, dout}};
  Task<> came = exchanged(rank, Direction::to_heads, std::move(sides));
  co_await came;
  saved.dout = std::move(dout);
  RankGradients all = local_backward(rank, saved, queries, rank.attention.whole().output);
  RankGradients own{own_rows(rank, "dquery", all.dquery, rank.queries, shape.heads),
                    own_rows(rank, "dkey", all.dkey, rank.keys, shape.kv_heads),
                    own_rows(rank, "dvalue", all.dvalue, rank.keys, shape.kv_heads)};
  std::vector<Side> back{{rank.queries, &HeldHeads::query, own.dquery, all.dquery},
                         {rank.keys, &HeldHeads::kv, own.dkey, all.dkey},
                         {rank.keys, &HeldHeads::kv, own.dvalue, all.dvalue}};
  Task<> returned = exchanged(rank, Direction::to_rows, std::move(back));
  co_await returned;
  co_return own;
}

}  // namespace

SharedProgram one_message_to_each_member() { return std::make_shared<Fused>(); }

}  // namespace attestone
