// SPDX-License-Identifier: Apache-2.0
// A right method: everybody sends its keys to everybody, and makes one call with all of them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/cpu/attend/merge.hpp"
#include "backends/distributed/messages/collectives.hpp"
#include "backends/distributed/messages/elements.hpp"
#include "tests/conformance/meshes/right_programs/parts.hpp"
#include "tests/conformance/meshes/right_programs/right_program.hpp"
#include "tests/conformance/meshes/right_programs/right_programs.hpp"

namespace attestone {
namespace {

/// The keys of all places, in one piece: those of each sequence behind each other.
class AllKeys {
 public:
  explicit AllKeys(const Rank& rank) : rank_(rank), rows_(joined(rank)) {}

  const HeldRows& rows() const { return rows_; }
  /// The rows of one place among those of all places, sequence after sequence.
  std::vector<View> of(const Buffer& all, index place) const {
    const auto held = [&](index one) -> const HeldRows& { return rank_.keys.of_ring(one); };
    return rows_among(all, all_heads(all), rows_, place, held);
  }
  /// The rows of one place in a buffer that holds nothing else.
  std::vector<View> alone(const Buffer& own, index place) const {
    return rows_of(own, all_heads(own), rank_.keys.of_ring(place));
  }
  index places() const { return rank_.ring.size(); }
  index own() const { return rank_.ring.place; }

 private:
  static HeldRows joined(const Rank& rank) {
    std::vector<std::vector<index>> all(static_cast<std::size_t>(rank.keys.of_ring(0).sequences()));
    for (index place = 0; place < rank.ring.size(); ++place)
      for (std::size_t sequence = 0; sequence < all.size(); ++sequence) {
        const std::vector<index>& some = rank.keys.of_ring(place).of(static_cast<index>(sequence));
        all[sequence].insert(all[sequence].end(), some.begin(), some.end());
      }
    return HeldRows(std::move(all));
  }

  const Rank& rank_;
  HeldRows rows_;
};

/// `own` goes to everybody; what everybody has comes into `all`.
std::vector<Request> gather(Rank& rank, const AllKeys& keys, const Buffer& own, const Buffer& all) {
  std::vector<std::vector<ConstView>> out;
  std::vector<std::vector<View>> in;
  for (index place = 0; place < keys.places(); ++place) {
    out.push_back(read_only(keys.alone(own, keys.own())));
    in.push_back(keys.of(all, place));
  }
  return all_to_all(rank.communicator, rank.ring, out, in);
}

Task<KeyPair> gathered(Rank& rank, const AllKeys& keys, KeyPair own) {
  KeyPair all(rank, "all KV", own.key.dtype(), keys.rows().count(), rank.held_heads());
  std::vector<Request> under_way = gather(rank, keys, own.key, all.key);
  for (Request& request : gather(rank, keys, own.value, all.value)) under_way.push_back(std::move(request));
  Task<> came = all_of(std::move(under_way));
  co_await came;
  own.release();
  co_return all;
}

/// Each place's part of `all` goes there, what the others have for this one comes, and is added up in double.
Task<Buffer> scattered_sum(Rank& rank, const AllKeys& keys, const char* name, Buffer all) {
  const index own_rows = rank.keys.of_ring(keys.own()).count();
  std::vector<Buffer> coming;
  std::vector<std::vector<ConstView>> out;
  std::vector<std::vector<View>> in;
  for (index place = 0; place < keys.places(); ++place) {
    const bool other = place != keys.own();
    coming.emplace_back(rank.device, "coming share", all.dtype(), other ? own_rows : 0, all.heads(), all.channels());
    out.emplace_back();
    in.emplace_back();
    if (other) out.back() = read_only(keys.of(all, place)), in.back() = keys.alone(coming.back(), keys.own());
  }
  Task<> came = all_of(all_to_all(rank.communicator, rank.ring, out, in));
  co_await came;
  Buffer sums(rank.device, name, rank.attention.whole().output, own_rows, all.heads(), all.channels());
  const std::vector<View> mine = keys.of(all, keys.own()), to = keys.alone(sums, keys.own());
  for (std::size_t sequence = 0; sequence < to.size(); ++sequence) {
    std::vector<View> shares;
    for (index place = 0; place < keys.places(); ++place) {
      const Buffer& share = coming[static_cast<std::size_t>(place)];
      shares.push_back(place == keys.own() ? mine[sequence] : keys.alone(share, keys.own())[sequence]);
    }
    for_each_element(to[sequence], [&](index, index head, index row, index channel) {
      double sum = 0;
      for (const View& share : shares) sum += share.value(0, head, row, channel);
      to[sequence].set(0, head, row, channel, sum);
    });
  }
  all.release();  // a parameter lives as long as its task
  co_return sums;
}

/// dK of all places.
index all_key(const Sizes& size) {
  index all = 0;
  for (index place = 0; place < size.places(); ++place) all += size.key(place, 4);
  return all;
}

class Gather final : public RightProgram {
 public:
  Gather() : RightProgram("keys_to_everybody", {"ring", "batch"}) {}

  const DType& part_format(const Problem& problem, const Mesh&) const override { return problem.output; }
  /// A sink is merged once, late and in double; without one there is nothing to merge.
  Numerics numerics(const Problem& problem, const Mesh& mesh, Numerics local) const override {
    if (mesh.devices("ring") == 1 || !problem.score.has_sink()) return local;
    local = merged_in(dtype("f64"), problem, 2, std::move(local));
    local.merge.form = MergeForm::late_correction;
    return local;
  }

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override;
  Task<RankGradients> backward(Rank& rank, RankSaved saved) const override;

  RankCosts forward_costs(const CostedRank& rank) const override {
    const Sizes size(rank);
    if (rank.ring == 1) return alone_forward_costs(size);
    const index own = size.own(), in = size.in();
    Paper paper;
    const PaperInputs held = begin_forward(paper, size);
    paper.send(2 * (rank.ring - 1), (rank.ring - 1) * size.keys(own, in));
    const auto all = paper.take({{"all KV", size.all_keys(in)}});
    paper.drop(held.keys);
    const index rows = size.rows_with_keys(), width = rank.problem.log_sum_exp_dtype().bytes(1);
    paper.take({{"part of out", rows * size.shape().value_dim * size.out()}, {"part of log_sum_exp", rows * width}});
    paper.drop(all);
    paper.drop(held.query);
    paper.take({{"out", size.answer(own, size.out())}, {"log_sum_exp", size.log_sum_exp(own)}});
    return paper.costs();
  }
  RankCosts backward_costs(const CostedRank& rank) const override {
    const Sizes size(rank);
    if (rank.ring == 1) return alone_backward_costs(size, rank.keeps_out, size.out());
    const index own = size.own(), in = size.in();
    Paper paper;
    const PaperSaved saved = begin_backward(paper, size);
    const index others = rank.ring - 1, sums = size.all_keys(4), out = size.out();
    paper.send(4 * others, others * size.keys(own, in) + sums - size.keys(own, 4));
    const auto all = paper.take({{"all KV", size.all_keys(in)}});
    paper.drop(saved.keys);
    const auto delta = paper.take({{"delta", size.statistic(own, 4)}});
    if (!rank.keeps_out) paper.drop(saved.out);
    const auto rows = paper.take({{"rows of dquery", size.rows_with_keys() * size.shape().dim * 4}});
    const auto all_dkey = paper.take({{"all dKV", all_key(size)}});
    paper.take({{"all dKV", sums - all_key(size)}});
    for (const auto done : {all, delta, saved.queries, saved.out}) paper.drop(done);
    paper.take({{"dquery", size.query(own, out)}});
    paper.drop(rows);
    const auto dkeys = paper.take({{"coming share", others * size.key(own, 4)}});
    paper.take({{"dkey", size.key(own, out)}});
    for (const auto done : {all_dkey, dkeys}) paper.drop(done);
    paper.take({{"coming share", others * size.value(own, 4)}});
    paper.take({{"dvalue", size.value(own, out)}});
    return paper.costs();
  }
};

Task<RankAnswer> Gather::forward(Rank& rank, RankInputs held) const {
  const HeldHeads heads = rank.held_heads();
  const Problem& whole = rank.attention.whole();
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, held.query};
  if (rank.ring.size() == 1) co_return local_forward(rank, held, queries);

  const AllKeys keys(rank);
  KeyPair own(std::move(held.key), std::move(held.value));
  Task<KeyPair> gathering = gathered(rank, keys, std::move(own));
  KeyPair all = co_await gathering;
  const auto blocks = rank.attention.blocks(queries, keys.rows());
  Buffer part(rank.device, "part of out", whole.output, query_rows(blocks), heads.query.count(), whole.shape.value_dim);
  Buffer part_lse(rank.device, "part of log_sum_exp", whole.log_sum_exp_dtype(), query_rows(blocks),
                  heads.query.count(), 1);
  const LocalKeys local{keys.rows(), all.key, all.value};
  rank.attention.forward(blocks, queries, local, part, part_lse);
  all.release();
  held.query.release();

  Buffer out(rank.device, "out", whole.output, rows.count(), heads.query.count(), whole.shape.value_dim);
  Buffer log_sum_exp(rank.device, "log_sum_exp", whole.log_sum_exp_dtype(), rows.count(), heads.query.count(), 1);
  out.clear();
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  const auto& sinks = rank.attention.inputs().sink;
  const auto sink = [&](index head) { return sinks ? sinks->value(0, heads.query.first + head, 0, 0) : nothing; };
  for_each_element(log_sum_exp.all(),
                   [&](index, index head, index row, index) { log_sum_exp.all().set(0, head, row, 0, sink(head)); });
  for_each_row(blocks, rows, [&](index from, index to) {
    for (index head = 0; head < heads.query.count(); ++head) {
      const double keys_only = part_lse.all().value(0, head, from, 0);
      if (keys_only == nothing) continue;
      const double share = 1 / (1 + std::exp(sink(head) - keys_only));
      for (index c = 0; c < out.channels(); ++c)
        out.all().set(0, head, to, c, share * part.all().value(0, head, from, c));
      log_sum_exp.all().set(0, head, to, 0, log_of_both(keys_only, sink(head)));
    }
  });
  RankAnswer answer{std::move(out), std::move(log_sum_exp)};
  co_return answer;
}

Task<RankGradients> Gather::backward(Rank& rank, RankSaved saved) const {
  const HeldHeads heads = rank.held_heads();
  const Problem& whole = rank.attention.whole();
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, saved.query};
  if (rank.ring.size() == 1) co_return local_backward(rank, saved, queries, rank.attention.whole().output);

  const AllKeys keys(rank);
  KeyPair own(std::move(saved.key), std::move(saved.value));
  Task<KeyPair> gathering = gathered(rank, keys, std::move(own));
  KeyPair all = co_await gathering;
  Buffer delta = delta_of(rank, queries, saved);
  if (rank.attention.takes_delta()) saved.out.release();
  const auto blocks = rank.attention.blocks(queries, keys.rows());
  Buffer share(rank.device, "rows of dquery", dtype("f32"), query_rows(blocks), heads.query.count(), whole.shape.dim);
  KeyPair sums(rank, "all dKV", dtype("f32"), keys.rows().count(), heads);
  sums.clear();
  const LocalKeys local{keys.rows(), all.key, all.value};
  const LocalAnswers answers{saved.out, saved.log_sum_exp, saved.dout, delta};
  const LocalGradients gradients{share, sums.key, sums.value, rank.shared.dbias};
  rank.attention.backward(blocks, queries, local, answers, gradients);
  all.release();
  delta.release();
  for (Buffer* done : {&saved.query, &saved.out, &saved.dout, &saved.log_sum_exp}) done->release();

  Buffer dquery(rank.device, "dquery", whole.output, rows.count(), heads.query.count(), whole.shape.dim);
  dquery.clear();
  for_each_row(blocks, rows, [&](index from, index to) {
    round_into(share.part(0, heads.query.count(), from, 1), dquery.part(0, heads.query.count(), to, 1));
  });
  share.release();
  Task<Buffer> of_keys = scattered_sum(rank, keys, "dkey", std::move(sums.key));
  Buffer dkey = co_await of_keys;
  Task<Buffer> of_values = scattered_sum(rank, keys, "dvalue", std::move(sums.value));
  Buffer dvalue = co_await of_values;
  RankGradients rounded{std::move(dquery), std::move(dkey), std::move(dvalue)};
  co_return rounded;
}

}  // namespace

SharedProgram keys_to_everybody() { return std::make_shared<Gather>(); }

}  // namespace attestone
