// SPDX-License-Identifier: Apache-2.0
// Exchanges of heads for rows that put heads or rows in another place, or leave some out.
#include <algorithm>

#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/hosts/weighing_padding.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class ExchangeInOtherOrder final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  bool value_first(const Rank& rank) const override { return rank.ulysses.place > 0; }
};

class ExchangeWithoutTransposition final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  /// Element by element, in the order in which they come.
  Views all_views(const Exchange& exchange, const Buffer& all, index place) const override {
    Views views;
    for (const View& some : MeshSteps::all_views(exchange, all, place)) {
      if (!reshaped(exchange)) {
        views.push_back(some);
        continue;
      }
      for (index head = 0; head < some.extents()[1]; ++head)
        for (index row = 0; row < some.rows(0); ++row)
          views.emplace_back(some.at(0, head, row, 0), some.dtype(), Extents{1, 1, 1, some.extents()[3]},
                             some.strides());
    }
    return views;
  }
  Views own_views(const Exchange& exchange, const Buffer& own, index place) const override {
    if (!reshaped(exchange)) return MeshSteps::own_views(exchange, own, place);
    const index each = exchange.heads_of(place).count();
    const HeldRows& mine = exchange.rows_of(exchange.rank.ulysses.place);
    Views views;
    for (index sequence = 0; sequence < mine.sequences(); ++sequence)
      for (index head = 0; head < each; ++head)
        for (index row = 0; row < mine.count(sequence); ++row) {
          const index flat = (place * mine.count(sequence) + row) * each + head;
          views.push_back(own.part(flat % own.heads(), 1, mine.begin(sequence) + flat / own.heads(), 1));
        }
    return views;
  }

 private:
  static bool reshaped(const Exchange& exchange) {
    return exchange.name == "out" && exchange.rank.attention.whole().shape.heads % exchange.rank.ulysses.size() == 0;
  }
};

class MembersWithoutRowsLeave final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    if (held.query.rows() > 0) {
      Task<RankAnswer> all = MeshSteps::forward(rank, std::move(held));
      co_return co_await all;
    }
    const Problem& whole = rank.attention.whole();
    const HeldRows& rows = rank.queries.of_ring(rank.ring.place);
    RankAnswer nothing{
        Buffer(rank.device, "out", whole.output, 0, whole.shape.heads, whole.shape.value_dim),
        Buffer(rank.device, "log_sum_exp", dtype("f32"), rows.count(), rank.held_heads().query.count(), 1)};
    co_return nothing;
  }
};

class OffsetsByFirstMember final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  index row_offset(const Exchange& exchange, index sequence, index place) const override {
    const index all = exchange.all_rows().count(sequence), rows = exchange.rows_of(place).count(sequence);
    return std::min(place * exchange.rows_of(0).count(sequence), all - rows);
  }
};

class HeadsNumberedFromZero final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  HeldHeads head_numbers(const Rank& rank) const override {
    const HeldHeads held = rank.held_heads();
    return {{0, held.query.count() - 1}, {0, held.kv.count() - 1}};
  }
};

class UnevenHeadsNumberedEvenly final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  HeldHeads head_numbers(const Rank& rank) const override {
    const auto evenly = [&](Interval right) {
      const index first = rank.ulysses.place * right.count();
      return Interval{first, first + right.count() - 1};
    };
    const HeldHeads held = rank.held_heads();
    return {evenly(held.query), evenly(held.kv)};
  }
};

class CopiedHeadsTiled final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  index kv_head(const Rank& rank, index copy) const override { return copy % rank.attention.whole().shape.kv_heads; }
};

/// Clears the heads of every member that are left when the others have been cut into two equal chunks.
void remainder_of_chunks_lost(const Rank& rank, RankAnswer& answer) {
  for (index place = 0; place < rank.ulysses.size(); ++place) {
    const Interval heads = rank.heads.of(place).query;
    const View lost = answer.out.part(heads.last, heads.count() % 2, 0, answer.out.rows());
    for_each_element(lost, [&](index, index head, index row, index channel) { lost.set(0, head, row, channel, 0); });
  }
}

const Registrations<Mutant> registered{
    {.name = "exchange_in_other_order",
     .summary = "starts the exchange of V before that of K on every device of a group but the first",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x1x2x1",
     .kernel = [] { return mesh_mutant<ExchangeInOtherOrder>("exchange_in_other_order", ulysses_of_two); },
     .twin = [] { return mesh_twin(ulysses_of_two); }},
    {.name = "exchange_without_transposition",
     .summary = "reads what comes back as [devices][rows][some heads] as if it were [rows][all heads]",
     .source = "deepspeedai/DeepSpeed PR #5664",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x4x2x1",
     .kernel =
         [] { return mesh_mutant<ExchangeWithoutTransposition>("exchange_without_transposition", ulysses_of_two); },
     .twin = [] { return mesh_twin(ulysses_of_two); }},
    {.name = "members_without_rows_leave",
     .summary = "lets devices without rows leave before the exchange",
     .property = "value_bound",
     .reason = "mismatched-message",
     .problem = "shape=1x2x1x2x1",
     .kernel = [] { return mesh_mutant<MembersWithoutRowsLeave>("members_without_rows_leave", ulysses_of_two); },
     .twin = [] { return mesh_twin(ulysses_of_two); }},
    {.name = "offsets_by_first_member",
     .summary = "writes the rows of the n-th member of a group at n times the rows of the first one",
     .source = "deepspeedai/DeepSpeed #7384",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x4x5x5x1",
     .kernel = [] { return mesh_mutant<OffsetsByFirstMember>("offsets_by_first_member", copying_ulysses_of_four); },
     .twin = [] { return mesh_twin(copying_ulysses_of_four); }},
    {.name = "heads_numbered_from_zero",
     .summary = "takes the heads that a device has after the exchange for the first ones of all",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x1x2x1 score=alibi",
     .variant = "bias of the first head",
     .kernel = [] { return mesh_mutant<HeadsNumberedFromZero>("heads_numbered_from_zero", ulysses_of_two); },
     .twin = [] { return mesh_twin(ulysses_of_two); }},
    {.name = "uneven_heads_numbered_evenly",
     .summary = "numbers the heads of a device as if all devices had as many",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x3x1x2x1 score=alibi",
     .kernel =
         [] { return mesh_mutant<UnevenHeadsNumberedEvenly>("uneven_heads_numbered_evenly", uneven_ulysses_of_two); },
     .twin = [] { return mesh_twin(uneven_ulysses_of_two); }},
    {.name = "copied_heads_tiled",
     .summary = "copies all kv heads again and again, where queries read neighbouring copies",
     .source = "volcengine/verl #1226",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x4/2x1x2x1",
     .variant = "kv heads interleaved",
     .kernel = [] { return mesh_mutant<CopiedHeadsTiled>("copied_heads_tiled", copying_ulysses_of_four); },
     .twin = [] { return mesh_twin(copying_ulysses_of_four); }},
    {.name = "remainder_of_chunks_lost",
     .summary = "exchanges as many heads in the last chunk as in the others, and loses what is left",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x6x1x2x1",
     .kernel =
         [] {
           return mesh_mutant("remainder_of_chunks_lost", two_chunks_of_two, {.answer = remainder_of_chunks_lost});
         },
     .twin = [] { return mesh_twin(two_chunks_of_two); }},
    {.name = "zero_keys_of_exchange_weigh",
     .summary = "attends to the zero keys by which a sequence is filled up until its group divides it",
     .source = "ByteDance-Seed/VeOmni PR #1139; vllm-project/vllm-omni PR #672",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x2x1x3x1",
     .variant = "1 key of zeros takes part",
     .kernel = [] { return mesh_mutant<WeighingPadding>("zero_keys_of_exchange_weigh", ulysses_of_two); },
     .twin = [] { return mesh_twin(ulysses_of_two); }},
};

}  // namespace
}  // namespace attestone::inline mutants
