// SPDX-License-Identifier: Apache-2.0
// Mutant: a reshape that should have been a transposition.
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

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

const Registration<Mutant> registered{{
    .name = "exchange_without_transposition",
    .summary = "reads what comes back as [devices][rows][some heads] as if it were [rows][all heads]",
    .source = "deepspeedai/DeepSpeed PR #5664",
    .property = "value_bound",
    .reason = "wrong-number",
    .problem = "shape=1x2x4x2x1",
    .kernel =
        [] { return mesh_mutant<ExchangeWithoutTransposition>("exchange_without_transposition", ulysses_of_two); },
    .twin = [] { return mesh_twin(ulysses_of_two); },
}};

}  // namespace
}  // namespace attestone::inline mutants
