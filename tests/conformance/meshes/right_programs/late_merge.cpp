// SPDX-License-Identifier: Apache-2.0
// A right ring: keeps what every block answers and merges all of it once, at the end; so with the gradients of keys.
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

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// Where a held row lies in the parts: -1 in those that have nothing for it.
class Rows {
 public:
  Rows(const std::vector<Part>& parts, const HeldRows& held) : parts_(parts) {
    for (const Part& part : parts) {
      std::vector<index>& at = at_.emplace_back(static_cast<std::size_t>(held.count()), -1);
      for_each_row(part.blocks, held, [&](index from, index to) { at[static_cast<std::size_t>(to)] = from; });
    }
  }
  /// visit(part, row of it) for all parts that know of the row.
  template <class Visit>
  void of(index held, Visit visit) const {
    for (std::size_t part = 0; part < parts_.size(); ++part)
      if (const index row = at_[part][static_cast<std::size_t>(held)]; row >= 0) visit(parts_[part], row);
  }

 private:
  const std::vector<Part>& parts_;
  std::vector<std::vector<index>> at_;
};

/// log_sum_exp of all parts of a row and its sink; NaN if one of them is.
double log_of_all(const Rows& rows, index head, index row, double sink) {
  std::vector<double> all(1, sink);
  rows.of(row, [&](const Part& part, index at) { all.push_back(part.log_sum_exp.all().value(0, head, at, 0)); });
  for (const double one : all)
    if (std::isnan(one)) return one;
  const double largest = std::ranges::max(all);
  if (std::isinf(largest)) return largest;
  double sum = 0;
  for (const double one : all) sum += std::exp(one - largest);
  return largest + std::log(sum);
}

class Late final : public RightProgram {
 public:
  Late() : RightProgram("late_merge", {"ring", "batch"}) {}

  Dealing dealing() const override { return Dealing::striped; }
  Numerics numerics(const Problem& problem, const Mesh& mesh, Numerics local) const override {
    const index places = mesh.devices("ring");
    if (places == 1) return local;
    local = merged_in(dtype("f64"), problem, places, std::move(local));
    local.merge.form = MergeForm::late_correction;
    local.merge.depth = 1;
    local.merge.visits = Visits::any;
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
    Paper::Ticket current = held.keys;
    for (index step = 0; step < rank.ring; ++step) {
      const index next = step < rank.ring - 1 ? size.keys(own - step - 1, in) : 0;
      if (step < rank.ring - 1) paper.send(1, size.keys(own - step, in));
      const auto coming = paper.take({{"KV", next}});
      take_part(paper, size, own - step);
      paper.drop(std::exchange(current, coming));
    }
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
    const PaperStaying staying(paper, size, rank.keeps_out, saved);
    Paper::Ticket current = saved.keys;
    std::vector<Paper::Ticket> shares;
    for (index step = 0; step < rank.ring; ++step) {
      const index next = step < rank.ring - 1 ? size.keys(own - step - 1, in) : 0;
      if (step < rank.ring - 1) paper.send(1, size.keys(own - step, in));
      const auto coming = paper.take({{"KV", next}});
      shares.push_back(share(paper, size, own - step));
      paper.drop(std::exchange(current, coming));
    }
    staying.end(paper);
    paper.take({{"dquery", size.query(own, size.out())}});
    paper.drop(staying.dquery);
    for (index steps = 1; steps < rank.ring; ++steps) {
      paper.send(1, size.keys(own - steps, 4));
      const auto coming = paper.take({{"coming share", size.keys(own, 4)}});
      for (const auto done : {coming, shares[static_cast<std::size_t>(steps)]}) paper.drop(done);
    }
    paper.take({{"dKV", size.keys(own, size.out())}});
    return paper.costs();
  }
};

std::vector<Request> hop(Rank& rank, index steps, const KeyPair& out, const KeyPair& in) {
  return permute(rank.communicator, rank.ring, steps, out.read(), in.written(), Messages::together);
}

Task<RankAnswer> Late::forward(Rank& rank, RankInputs held) const {
  const HeldHeads heads = rank.held_heads();
  const Problem& whole = rank.attention.whole();
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, held.query};
  if (rank.ring.size() == 1) co_return local_forward(rank, held, queries);

  KeyPair current(std::move(held.key), std::move(held.value));
  std::vector<Part> parts;
  for (index step = 0; step < rank.ring.size(); ++step) {
    std::optional<KeyPair> next;
    std::vector<Request> under_way;
    if (step < rank.ring.size() - 1) {
      const index coming = rank.keys.of_ring(rank.ring.beside(-step - 1)).count();
      next.emplace(rank, "KV", current.key.dtype(), coming, heads);
      under_way = hop(rank, 1, current, *next);
    }
    parts.emplace_back(rank, queries, rank.keys.of_ring(rank.ring.beside(-step)), current);
    Task<> hopped = all_of(std::move(under_way));
    co_await hopped;
    current.release();
    if (next) current = std::move(*next);
  }
  held.query.release();

  Buffer out(rank.device, "out", whole.output, rows.count(), heads.query.count(), whole.shape.value_dim);
  Buffer log_sum_exp(rank.device, "log_sum_exp", whole.log_sum_exp_dtype(), rows.count(), heads.query.count(), 1);
  const Rows of_parts(parts, rows);
  const auto& sinks = rank.attention.inputs().sink;
  for_each_element(log_sum_exp.all(), [&](index, index head, index row, index) {
    const double sink = sinks ? sinks->value(0, heads.query.first + head, 0, 0) : nothing;
    const double all = log_of_all(of_parts, head, row, sink);
    log_sum_exp.all().set(0, head, row, 0, all);
    for (index c = 0; c < out.channels(); ++c) {
      double sum = 0;
      of_parts.of(row, [&](const Part& part, index at) {
        const double own = part.log_sum_exp.all().value(0, head, at, 0);
        if (own != nothing) sum += part.out.all().value(0, head, at, c) * std::exp(own - all);
      });
      out.all().set(0, head, row, c, sum);
    }
  });
  RankAnswer answer{std::move(out), std::move(log_sum_exp)};
  co_return answer;
}

Task<RankGradients> Late::backward(Rank& rank, RankSaved saved) const {
  const HeldHeads heads = rank.held_heads();
  const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
  const LocalQueries queries{rows, heads, saved.query};
  if (rank.ring.size() == 1) co_return local_backward(rank, saved, queries, rank.attention.whole().output);

  StayingQueries staying(rank, queries, saved);
  KeyPair current(std::move(saved.key), std::move(saved.value));
  std::vector<KeyPair> shares;  // [steps]: of the place so many steps back
  for (index step = 0; step < rank.ring.size(); ++step) {
    std::optional<KeyPair> next;
    std::vector<Request> under_way;
    if (step < rank.ring.size() - 1) {
      const index coming = rank.keys.of_ring(rank.ring.beside(-step - 1)).count();
      next.emplace(rank, "KV", current.key.dtype(), coming, heads);
      under_way = hop(rank, 1, current, *next);
    }
    const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(-step));
    shares.push_back(staying.share(keys, current));
    Task<> hopped = all_of(std::move(under_way));
    co_await hopped;
    current.release();
    if (next) current = std::move(*next);
  }
  Buffer dquery = staying.end();
  Buffer small(rank.device, "dquery", rank.attention.whole().output, rows.count(), heads.query.count(),
               dquery.channels());
  round_into(dquery.all(), small.all());
  dquery.release();
  KeyPair& own = shares.front();
  for (index steps = 1; steps < rank.ring.size(); ++steps) {
    KeyPair& leaving = shares[static_cast<std::size_t>(steps)];
    KeyPair coming(rank, "coming share", dtype("f32"), own.key.rows(), heads);
    Task<> sent = all_of(hop(rank, -steps, leaving, coming));
    co_await sent;
    own.add(coming);
    leaving.release();
  }
  KeyPair rounded(rank, "dKV", rank.attention.whole().output, own.key.rows(), heads);
  round_into(own.key.all(), rounded.key.all());
  round_into(own.value.all(), rounded.value.all());
  RankGradients gradients{std::move(small), std::move(rounded.key), std::move(rounded.value)};
  co_return gradients;
}

}  // namespace

SharedProgram late_merge() { return std::make_shared<Late>(); }

}  // namespace attestone
