// SPDX-License-Identifier: Apache-2.0
// A right Ulysses: every head goes to its owner in a message of its own, one head after another, and K follows Q.
#include <algorithm>

#include "backends/distributed/messages/collectives.hpp"
#include "backends/distributed/messages/elements.hpp"
#include "tests/conformance/meshes/right_programs/parts.hpp"
#include "tests/conformance/meshes/right_programs/right_program.hpp"
#include "tests/conformance/meshes/right_programs/right_programs.hpp"

namespace attestone {
namespace {

/// One tensor on its way: which heads of its owner are which of the whole's.
struct Way {
  const Rank& rank;
  const Shards& shards;
  Interval HeldHeads::*heads;

  bool of_keys() const { return heads == &HeldHeads::kv; }
  index all_heads() const { return of_keys() ? rank.heads.kv_copies() : rank.attention.whole().shape.heads; }
  Interval of(index member) const { return rank.heads.of(member).*heads; }
  index owner(index head) const {
    index member = 0;
    while (of(member).last < head) ++member;
    return member;
  }
  const HeldRows& rows(index member) const { return shards.of(rank.ring.place, member); }
  const HeldRows& all_rows() const { return shards.of_ring(rank.ring.place); }

  /// A head in a buffer of own rows. If that buffer holds no copies: the head of which this one is a copy.
  std::vector<View> in_rows(const Buffer& own, index head) const {
    const index at = own.heads() == all_heads() ? head : rank.heads.kv_head(head);
    return rows_of(own, {at, at}, rows(rank.ulysses.place));
  }
  /// A member's rows of that head in the owner's buffer, which holds all rows.
  std::vector<View> in_heads(const Buffer& all, index head, index member) const {
    const index at = head - of(rank.ulysses.place).first;
    return rows_among(all, {at, at}, all_rows(), member, [&](index one) -> const HeldRows& { return rows(one); });
  }
};

void copy_all(const std::vector<View>& from, const std::vector<View>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) copy(from[i], to[i]);
}

/// Owners take in all rows of their heads.
Task<Buffer> to_owners(Rank& rank, Way way, const char* name, Buffer own) {
  const index place = rank.ulysses.place;
  Buffer all(rank.device, name, own.dtype(), way.all_rows().count(), way.of(place).count(), own.channels());
  for (index head = 0; head < way.all_heads(); ++head) {
    const Signature signature = rank.communicator.begin(rank.ulysses, "head to its owner", CallSite::current());
    const index owner = way.owner(head);
    if (owner != place) {
      const std::vector<ConstView> rows = read_only(way.in_rows(own, head));
      Request sent = rank.communicator.send(rank.ulysses, owner, signature, rows);
      co_await sent;
      continue;
    }
    copy_all(way.in_rows(own, head), way.in_heads(all, head, place));
    for (index member = 0; member < rank.ulysses.size(); ++member) {
      if (member == place) continue;
      const std::vector<View> room = way.in_heads(all, head, member);
      Request received = rank.communicator.receive(rank.ulysses, member, signature, room);
      co_await received;
    }
  }
  own.release();
  co_return all;
}

/// Owners return the rows of their heads to all members.
Task<Buffer> from_owners(Rank& rank, Way way, const char* name, Buffer all) {
  const index place = rank.ulysses.place;
  Buffer own(rank.device, name, all.dtype(), way.rows(place).count(), way.all_heads(), all.channels());
  for (index head = 0; head < way.all_heads(); ++head) {
    const Signature signature = rank.communicator.begin(rank.ulysses, "head from its owner", CallSite::current());
    const index owner = way.owner(head);
    if (owner != place) {
      const std::vector<View> room = way.in_rows(own, head);
      Request received = rank.communicator.receive(rank.ulysses, owner, signature, room);
      co_await received;
      continue;
    }
    copy_all(way.in_heads(all, head, place), way.in_rows(own, head));
    for (index member = 0; member < rank.ulysses.size(); ++member) {
      if (member == place) continue;
      const std::vector<ConstView> rows = read_only(way.in_heads(all, head, member));
      Request sent = rank.communicator.send(rank.ulysses, member, signature, rows);
      co_await sent;
    }
  }
  all.release();
  co_return own;
}

/// The sums of the copies of each head.
Buffer sum_of_copies(Rank& rank, const char* name, Buffer copies) {
  const index each = rank.heads.copies();
  if (each == 1) return copies;
  Buffer sums(rank.device, name, rank.attention.whole().output, copies.rows(), copies.heads() / each,
              copies.channels());
  for_each_element(sums.all(), [&](index, index head, index row, index channel) {
    double sum = 0;
    for (index copy = 0; copy < each; ++copy) sum += copies.all().value(0, head * each + copy, row, channel);
    sums.all().set(0, head, row, channel, sum);
  });
  return sums;
}

class ByHead final : public RightProgram {
 public:
  ByHead() : RightProgram("heads_one_by_one", {"ulysses", "batch"}) {}

  /// The fewest copies of each kv head that give every member a head. One if there are enough kv heads, even if they
  /// are dealt unevenly.
  index copies(const Shape& shape, index members) const override {
    return shape.kv_heads >= members ? 1 : (members + shape.kv_heads - 1) / shape.kv_heads;
  }
  Support supports(const Problem& problem, const Mesh& mesh) const override {
    const Shape& shape = problem.shape;
    const index members = mesh.devices("ulysses");
    if (members > 1 && shape.heads % (shape.kv_heads * copies(shape, members)) != 0)
      return Support::refused("query heads cannot be shared among so many copies of kv heads");
    return {};
  }

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
    RankInputs all{std::move(held.query), std::move(held.key), std::move(held.value)};
    const Way queries{rank, rank.queries, &HeldHeads::query}, keys{rank, rank.keys, &HeldHeads::kv};
    if (rank.ulysses.size() > 1) {
      Task<Buffer> query = to_owners(rank, queries, "all of query", std::move(all.query));
      all.query = co_await query;
      Task<Buffer> key = to_owners(rank, keys, "all of key", std::move(all.key));
      all.key = co_await key;
      Task<Buffer> value = to_owners(rank, keys, "all of value", std::move(all.value));
      all.value = co_await value;
    }
    const LocalQueries local{rows, rank.held_heads(), all.query};
    RankAnswer answer = local_forward(rank, all, local);
    if (rank.ulysses.size() > 1) {
      Task<Buffer> out = from_owners(rank, queries, "out", std::move(answer.out));
      answer.out = co_await out;
    }
    co_return answer;
  }

  Task<RankGradients> backward(Rank& rank, RankSaved saved) const override {
    const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
    const Way queries{rank, rank.queries, &HeldHeads::query}, keys{rank, rank.keys, &HeldHeads::kv};
    if (rank.ulysses.size() > 1) {
      Task<Buffer> dout = to_owners(rank, queries, "all of dout", std::move(saved.dout));
      saved.dout = co_await dout;
    }
    const LocalQueries local{rows, rank.held_heads(), saved.query};
    const DType& of_keys = rank.heads.copies() > 1 ? dtype("f32") : rank.attention.whole().output;
    RankGradients gradients = local_backward(rank, saved, local, of_keys);
    if (rank.ulysses.size() > 1) {
      Task<Buffer> dquery = from_owners(rank, queries, "dquery", std::move(gradients.dquery));
      gradients.dquery = co_await dquery;
      Task<Buffer> dkey = from_owners(rank, keys, "dkey", std::move(gradients.dkey));
      gradients.dkey = co_await dkey;
      gradients.dkey = sum_of_copies(rank, "dkey", std::move(gradients.dkey));
      Task<Buffer> dvalue = from_owners(rank, keys, "dvalue", std::move(gradients.dvalue));
      gradients.dvalue = co_await dvalue;
      gradients.dvalue = sum_of_copies(rank, "dvalue", std::move(gradients.dvalue));
    }
    co_return gradients;
  }

  RankCosts forward_costs(const CostedRank& rank) const override;
  RankCosts backward_costs(const CostedRank& rank) const override;
};

/// The sizes of an exchange, in elements per channel: before it, after it, and those sent either way; and its messages.
struct Counted {
  index before, after, to_owners, from_owners, messages_to, messages_from;

  Counted(const CostedRank& rank, const Shards& shards, index all_heads, index own_heads) {
    const index own_rows = shards.of(rank.ring_place, rank.ulysses_place).count();
    const index all_rows = shards.of_ring(rank.ring_place).count(), others = rank.heads.members() - 1;
    before = own_rows * all_heads, after = all_rows * own_heads;
    to_owners = own_rows * (all_heads - own_heads), from_owners = (all_rows - own_rows) * own_heads;
    messages_to = all_heads - own_heads, messages_from = own_heads * others;
  }
};

Counted counted_queries(const CostedRank& rank) {
  return {rank, rank.queries, rank.problem.shape.heads, rank.heads.of(rank.ulysses_place).query.count()};
}
Counted counted_keys(const CostedRank& rank) {
  return {rank, rank.keys, rank.heads.kv_copies(), rank.heads.of(rank.ulysses_place).kv.count()};
}

RankCosts ByHead::forward_costs(const CostedRank& rank) const {
  const Sizes size(rank);
  if (rank.heads.members() == 1) return alone_forward_costs(size);
  const Counted q = counted_queries(rank), k = counted_keys(rank);
  const index d = size.shape().dim, dv = size.shape().value_dim, in = size.in(), out = size.out();
  const index keys = k.before / rank.heads.copies();
  Paper paper;
  const auto query = paper.take({{"query", q.before * d * in}});
  const auto key = paper.take({{"key", keys * d * in}}), value = paper.take({{"value", keys * dv * in}});
  const auto all_query = paper.take({{"all of query", q.after * d * in}});
  paper.drop(query);
  const auto all_key = paper.take({{"all of key", k.after * d * in}});
  paper.drop(key);
  const auto all_value = paper.take({{"all of value", k.after * dv * in}});
  paper.drop(value);
  const PaperAnswer answer = local_forward(paper, size, {all_query, all_key});
  paper.drop(all_value);
  paper.take({{"out", q.before * dv * out}});
  paper.drop(answer.out);
  paper.send(q.messages_to + 2 * k.messages_to + q.messages_from,
             (q.to_owners * d + k.to_owners * (d + dv)) * in + q.from_owners * dv * out);
  return paper.costs();
}

RankCosts ByHead::backward_costs(const CostedRank& rank) const {
  const Sizes size(rank);
  const index copies = rank.heads.copies(), width = copies > 1 ? 4 : size.out();
  if (rank.heads.members() == 1) return alone_backward_costs(size, rank.keeps_out, width);
  const Counted q = counted_queries(rank), k = counted_keys(rank);
  const index d = size.shape().dim, dv = size.shape().value_dim, out = size.out();
  Paper paper;
  const auto dout = paper.take({{"dout", q.before * dv * out}});
  const auto query = paper.take({{"query", size.query(0, size.in())}, {"log_sum_exp", size.log_sum_exp(0)}});
  const auto keys = paper.take({{"key", size.key(0, size.in())}, {"value", size.value(0, size.in())}});
  const auto saved_out = paper.take({{"out", size.answer(0, out)}});
  const auto all_dout = paper.take({{"all of dout", q.after * dv * out}});
  paper.drop(dout);
  const PaperGradients all = local_backward(paper, size, rank.keeps_out, {query, saved_out, keys}, width);
  paper.drop(all_dout);
  const auto back = [&](const char* name, index bytes, Paper::Ticket from) {
    const auto own = paper.take({{name, bytes}});
    paper.drop(from);
    return own;
  };
  back("dquery", q.before * d * out, all.dquery);
  const auto dkey = back("dkey", k.before * d * width, all.dkey);
  if (copies > 1) back("dkey", k.before / copies * d * out, dkey);
  const auto dvalue = back("dvalue", k.before * dv * width, all.dvalue);
  if (copies > 1) back("dvalue", k.before / copies * dv * out, dvalue);
  paper.send(q.messages_to + q.messages_from + 2 * k.messages_from,
             q.to_owners * dv * out + q.from_owners * d * out + k.from_owners * (d + dv) * width);
  return paper.costs();
}

}  // namespace

SharedProgram heads_one_by_one() { return std::make_shared<ByHead>(); }

}  // namespace attestone
