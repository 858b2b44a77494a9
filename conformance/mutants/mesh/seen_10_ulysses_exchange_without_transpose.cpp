// SPDX-License-Identifier: Apache-2.0
// Wrong program: what comes back as [devices][rows][heads / devices] is taken for [rows][heads] as it lies, without
// a transposition.
// Source: bugs.md N01 (DeepSpeed PR #5664). Wrong on: any Ulysses group of two or more that deals heads evenly,
// forward pass.
// Wrong answer: ulysses:2 shape=1x2x4x4x8
#include "conformance/mutants/machinery/changed_steps.hpp"

namespace attestone {
namespace {

class ExchangeWithoutTranspose final : public ChangedSteps {
 public:
  static constexpr std::string_view name_of_entry = "seen_10_ulysses_exchange_without_transpose";
  using ChangedSteps::ChangedSteps;

 protected:
  /// Element by element, in the order in which they come.
  Views all_views(const Exchange& exchange, const Buffer& all, index place) const override {
    Views views;
    for (const View& some : ChangedSteps::all_views(exchange, all, place)) {
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
    if (!reshaped(exchange)) return ChangedSteps::own_views(exchange, own, place);
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

const Registration<RankProgramEntry> registered{
    ulysses_entry<ExchangeWithoutTranspose>("reads [devices][rows][some heads] as [rows][all heads]")};

}  // namespace
}  // namespace attestone
