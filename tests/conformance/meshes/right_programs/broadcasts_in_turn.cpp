// SPDX-License-Identifier: Apache-2.0
// A right method: forward every place in turn tells all others its keys, and answers are merged under a running
// maximum; backward queries travel with all that belongs to them, and keys stay.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/distributed/messages/collectives.hpp"
#include "backends/distributed/messages/elements.hpp"
#include "tests/conformance/meshes/right_programs/parts.hpp"
#include "tests/conformance/meshes/right_programs/right_program.hpp"
#include "tests/conformance/meshes/right_programs/right_programs.hpp"

namespace attestone {
namespace {

constexpr float nothing = -std::numeric_limits<float>::infinity();

float& number(const Buffer& buffer, index head, index row, index channel) {
  return *reinterpret_cast<float*>(buffer.all().at(0, head, row, channel));
}

/// Sums of e^(lse - m) out and of e^(lse - m) over all parts so far, f32, and m, the largest lse of them.
struct RescaledSums {
  Buffer out, maximum, sum;

  RescaledSums(Device& device, index rows, index heads, index value_dim)
      : out(device, "sum of out", dtype("f32"), rows, heads, value_dim),
        maximum(device, "maximum", dtype("f32"), rows, heads, 1),
        sum(device, "sum of weights", dtype("f32"), rows, heads, 1) {
    out.clear();
    sum.clear();
    for_each_element(maximum.all(),
                     [&](index, index head, index row, index) { number(maximum, head, row, 0) = nothing; });
  }
  void start_from_sinks(ConstView sinks, Interval heads) {
    for_each_element(maximum.all(), [&](index, index head, index row, index) {
      const auto sink = static_cast<float>(sinks.value(0, heads.first + head, 0, 0));
      number(maximum, head, row, 0) = sink;
      number(sum, head, row, 0) = sink == nothing ? 0 : 1;
    });
  }
  void merge(const Part& part, const HeldRows& rows) {
    for_each_row(part.blocks, rows, [&](index from, index to) {
      for (index head = 0; head < out.heads(); ++head) merge_row(part, head, from, to);
    });
  }

 private:
  void merge_row(const Part& part, index head, index from, index to) {
    const float log_sum_exp = number(part.log_sum_exp, head, from, 0);
    if (log_sum_exp == nothing) return;
    float &m = number(maximum, head, to, 0), &l = number(sum, head, to, 0);
    const float larger = std::max(m, log_sum_exp);  // where one is NaN, the exponentials below are
    const float before = std::exp(m - larger), own = std::exp(log_sum_exp - larger);
    l = before * l + own;
    m = larger;
    for (index c = 0; c < out.channels(); ++c) {
      float& o = number(out, head, to, c);
      o = before * o + own * number(part.out, head, from, c);
    }
  }
};

/// A place's queries, with all that belongs to them; the sum of dQ apart.
struct Token {
  Buffer query, out, log_sum_exp, dout, delta;

  /// Room for the token of another place.
  Token(Rank& rank, const Token& like, index rows)
      : query(room(rank, "query", like.query, rows)),
        out(room(rank, "out", like.out, rank.attention.takes_delta() ? 0 : rows)),
        log_sum_exp(room(rank, "log_sum_exp", like.log_sum_exp, rows)),
        dout(room(rank, "dout", like.dout, rows)),
        delta(room(rank, "delta", like.delta, rows)) {}
  explicit Token(RankSaved& saved, Buffer d)
      : query(std::move(saved.query)),
        out(std::move(saved.out)),
        log_sum_exp(std::move(saved.log_sum_exp)),
        dout(std::move(saved.dout)),
        delta(std::move(d)) {}

  /// O travels only to kernels that read it.
  std::vector<const Buffer*> travelling(bool with_out) const {
    std::vector<const Buffer*> all{&query, &log_sum_exp, &dout, &delta};
    if (with_out) all.push_back(&out);
    return all;
  }

 private:
  static Buffer room(Rank& rank, const char* name, const Buffer& like, index rows) {
    return {rank.device, name, like.dtype(), rows, like.heads(), like.channels()};
  }
};

/// The buffers that travel with the queries of a place, and the queries.
std::vector<NamedBytes> token_of(const Sizes& size, index place, bool with_out) {
  const index answer = size.answer(place, size.out());
  std::vector<NamedBytes> all{{"query", size.query(place, size.in())},
                              {"log_sum_exp", size.log_sum_exp(place)},
                              {"dout", answer},
                              {"delta", size.statistic(place, 4)}};
  if (with_out) all.push_back({"out", answer});
  return all;
}

class Tokens final : public RightProgram {
 public:
  Tokens() : RightProgram("broadcasts_in_turn", {"ring", "batch"}) {}

  /// Parts are divided by their own sums, so the late form describes the errors of their log_sum_exp. A weight is
  /// multiplied by an exponential in every merge, where the late form has one: as many times its error. The further
  /// products and the division err less than the late form's logarithms, of which there are none here.
  Numerics numerics(const Problem& problem, const Mesh& mesh, Numerics local) const override {
    const index places = mesh.devices("ring");
    if (places == 1) return local;
    local = merged_in(dtype("f32"), problem, places, std::move(local));
    local.merge.form = MergeForm::late_correction;
    local.merge.exp_error *= static_cast<double>(places + 1);
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
    const auto out = paper.take({{"sum of out", size.answer(own, 4)}});
    paper.take({{"maximum", size.statistic(own, 4)}, {"sum of weights", size.statistic(own, 4)}});
    for (index root = 0; root < rank.ring; ++root) {
      const index keys = size.keys(root, in);
      if ((own + 1) % rank.ring != root) paper.send(2, keys);
      const auto told = root == own ? held.keys : paper.take({{"told KV", keys}});
      take_in(paper, size, root);
      paper.drop(told);
    }
    paper.drop(held.query);
    paper.take({{"out", size.answer(own, size.out())}});
    paper.drop(out);
    paper.take({{"log_sum_exp", size.log_sum_exp(own)}});
    return paper.costs();
  }
  RankCosts backward_costs(const CostedRank& rank) const override {
    const Sizes size(rank);
    if (rank.ring == 1) return alone_backward_costs(size, rank.keeps_out, size.out());
    const index own = size.own();
    Paper paper;
    const PaperSaved saved = begin_backward(paper, size);
    const auto delta = paper.take({{"delta", size.statistic(own, 4)}});
    if (!rank.keeps_out) paper.drop(saved.out);
    std::vector<Paper::Ticket> token{saved.queries, saved.out, delta};
    auto dquery = paper.take({{"sum of dquery", size.query(own, 4)}});
    const auto sums = paper.take({{"sum of dKV", size.keys(own, 4)}});
    for (index step = 0; step < rank.ring; ++step) {
      const bool last = step == rank.ring - 1;
      paper.drop(share(paper, size, own));
      std::vector<NamedBytes> next;
      if (last) {
        for (const auto done : token) paper.drop(done);
        paper.drop(saved.keys);
      } else {
        for (const NamedBytes& one : token_of(size, own - step, rank.keeps_out)) paper.send(1, one.bytes);
        next = token_of(size, own - step - 1, rank.keeps_out);
      }
      paper.send(1, size.query(own - step, 4));
      const std::vector<Paper::Ticket> coming(1, paper.take(next));
      const auto next_dquery = paper.take({{"sum of dquery", size.query(own - step - 1, 4)}});
      paper.drop(std::exchange(dquery, next_dquery));
      for (const auto done : std::exchange(token, coming)) paper.drop(done);
    }
    store(paper, size, dquery, sums);
    return paper.costs();
  }
};

Task<RankAnswer> Tokens::forward(Rank& rank, RankInputs held) const {
  const HeldHeads heads = rank.held_heads();
  const Problem& whole = rank.attention.whole();
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, held.query};
  if (rank.ring.size() == 1) co_return local_forward(rank, held, queries);

  RescaledSums sums(rank.device, rows.count(), heads.query.count(), whole.shape.value_dim);
  if (const auto& sinks = rank.attention.inputs().sink) sums.start_from_sinks(*sinks, heads.query);
  const DType& format = held.key.dtype();
  std::optional<KeyPair> own(std::in_place, std::move(held.key), std::move(held.value));
  for (index root = 0; root < rank.ring.size(); ++root) {
    const bool speaks = root == rank.ring.place;
    const HeldRows& keys = rank.keys.of_ring(root);
    std::optional<KeyPair> told = speaks ? std::exchange(own, std::nullopt) : std::nullopt;
    if (!speaks) told.emplace(rank, "told KV", format, keys.count(), heads);
    const View key = told->key.all(), value = told->value.all();
    Task<> of_keys = broadcast(rank.communicator, rank.ring, root, key);
    co_await of_keys;
    Task<> of_values = broadcast(rank.communicator, rank.ring, root, value);
    co_await of_values;
    const Part part(rank, queries, keys, *told);
    sums.merge(part, rows);
  }
  held.query.release();

  const index count = heads.query.count();
  Buffer out(rank.device, "out", whole.output, rows.count(), count, whole.shape.value_dim);
  for_each_element(out.all(), [&](index, index head, index row, index c) {
    const float all = number(sums.sum, head, row, 0);
    out.all().set(0, head, row, c, all == 0 ? 0 : number(sums.out, head, row, c) / all);
  });
  sums.out.release();
  Buffer log_sum_exp(rank.device, "log_sum_exp", whole.log_sum_exp_dtype(), rows.count(), count, 1);
  for_each_element(log_sum_exp.all(), [&](index, index head, index row, index) {
    const float m = number(sums.maximum, head, row, 0), all = number(sums.sum, head, row, 0);
    log_sum_exp.all().set(0, head, row, 0, all == 0 ? nothing : m + std::log(all));
  });
  RankAnswer answer{std::move(out), std::move(log_sum_exp)};
  co_return answer;
}

Task<RankGradients> Tokens::backward(Rank& rank, RankSaved saved) const {
  const HeldHeads heads = rank.held_heads();
  const Group& ring = rank.ring;
  const bool with_out = !rank.attention.takes_delta();
  const LocalQueries own{rank.queries.of_ring(ring.place), heads, saved.query};
  if (ring.size() == 1) co_return local_backward(rank, saved, own, rank.attention.whole().output);

  Buffer delta = delta_of(rank, own, saved);
  if (!with_out) saved.out.release();
  const HeldRows& rows = rank.keys.of_ring(ring.place);
  std::optional<KeyPair> keys(std::in_place, std::move(saved.key), std::move(saved.value));
  std::optional<Token> token(std::in_place, saved, std::move(delta));
  const auto sum_of_dquery = [&](index steps) {
    return Buffer(rank.device, "sum of dquery", dtype("f32"), rank.queries.of_ring(ring.beside(steps)).count(),
                  heads.query.count(), rank.attention.whole().shape.dim);
  };
  Buffer dquery = sum_of_dquery(0);
  dquery.clear();
  KeyPair sums(rank, "sum of dKV", dtype("f32"), rows.count(), heads);
  sums.clear();
  for (index step = 0; step < ring.size(); ++step) {
    {
      const LocalQueries queries{rank.queries.of_ring(ring.beside(-step)), heads, token->query};
      const LocalAnswers answers{token->out, token->log_sum_exp, token->dout, token->delta};
      const KeyPair share = share_of_gradients(rank, queries, rows, *keys, answers, dquery);
      sums.add(share);
    }
    std::vector<ConstView> going;
    std::vector<View> coming;
    std::optional<Token> next;
    if (step == ring.size() - 1) {
      token.reset();
      keys.reset();
    } else {
      next.emplace(rank, *token, rank.queries.of_ring(ring.beside(-step - 1)).count());
      for (const Buffer* buffer : token->travelling(with_out)) going.push_back(buffer->all());
      for (const Buffer* buffer : next->travelling(with_out)) coming.push_back(buffer->all());
    }
    Buffer next_dquery = sum_of_dquery(-step - 1);
    going.push_back(dquery.all());
    coming.push_back(next_dquery.all());
    Task<> moved = all_of(permute(rank.communicator, ring, 1, going, coming));
    co_await moved;
    dquery = std::move(next_dquery);
    token = std::move(next);
  }
  co_return stored(rank, std::move(dquery), std::move(sums.key), std::move(sums.value));
}

}  // namespace

SharedProgram broadcasts_in_turn() { return std::make_shared<Tokens>(); }

}  // namespace attestone
