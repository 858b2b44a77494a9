// SPDX-License-Identifier: Apache-2.0
// Rings of coded or smoothed keys whose codes, scales or limits go wrong.
#include <algorithm>
#include <cmath>

#include "backends/cpu/attend/fixed_maxima.hpp"
#include "backends/distributed/rank/key_value.hpp"
#include "backends/distributed/rank/ring_norms.hpp"
#include "backends/distributed/rank/running_answer.hpp"
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/hosts/ring_of_codes.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class CodesTruncated final : public RingOfCodes {
 protected:
  CodedKeys encoded(Device& device, const KeyValue& own) const override {
    CodedKeys coded = RingOfCodes::encoded(device, own);
    const auto cut = [](double x, double scale) { return scale > 0 ? std::trunc(x / scale) : 0; };
    code_again(own, coded, cut);
    return coded;
  }
};

/// 127 steps are 128: the largest number of a row becomes the smallest.
class CodesWrapAround final : public RingOfCodes {
 protected:
  CodedKeys encoded(Device& device, const KeyValue& own) const override {
    CodedKeys coded = RingOfCodes::encoded(device, own);
    const auto wrapped = [](double x, double scale) {
      const double code = scale > 0 ? std::nearbyint(x / scale * 128 / 127) : 0;
      return code > 127 ? code - 256 : code;
    };
    code_again(own, coded, wrapped);
    return coded;
  }
};

class ScalesOneHopBehind final : public RingOfCodes {
 protected:
  KeyValue decoded(const Rank& rank, const CodedKeys& comes, const CodedKeys& before) const override {
    for (const auto& [now, last] :
         {std::pair(&comes.scales.key, &before.scales.key), std::pair(&comes.scales.value, &before.scales.value)})
      for_each_row(*now, [to = now->all(), from = last->all(), rows = last->rows()](index head, index row) {
        if (row < rows) to.set(0, head, row, 0, from.value(0, head, row, 0));
      });
    return RingOfCodes::decoded(rank, comes, before);
  }
};

class SmallRowsLoseTheirScale final : public RingOfCodes {
 protected:
  CodedKeys encoded(Device& device, const KeyValue& own) const override {
    constexpr double least = 1e-4;
    CodedKeys coded = RingOfCodes::encoded(device, own);
    const auto nearest = [](double x, double scale) { return scale > 0 ? std::nearbyint(x / scale) : 0; };
    for (const Buffer* scales : {&coded.scales.key, &coded.scales.value}) {
      const View all = scales->all();
      for_each_row(*scales, [&](index head, index row) {
        all.set(0, head, row, 0, std::max(all.value(0, head, row, 0), least / 127));
      });
    }
    code_again(own, coded, nearest);
    return coded;
  }
};

/// A ring that refers scores to fixed maxima, whatever the norms are below twice the right limit.
class MaximumFixedAsIfSmoothed final : public ChangedMethod {
 public:
  MaximumFixedAsIfSmoothed() : ChangedMethod(fixed_ring_of_two.method) {}

  Task<RankAnswer> forward(Rank& rank, RankInputs held) const override {
    if (rank.ring.size() == 1 || !fixed_maximum::is_known(rank.attention.whole())) {
      Task<RankAnswer> task = right().forward(rank, std::move(held));
      co_return co_await task;
    }
    const LocalQueries queries{rank.queries.of_ring(rank.ring.place), rank.held_heads(), held.query};
    Task<Buffer> gathered = gather_norms(rank, held);
    Buffer norms = co_await gathered;
    const auto answer = seem_to_hold(rank, norms)
                            ? running_answer(rank, queries, norms)
                            : running_answer(MergeForm::rescaled_sums, rank, queries, dtype("f32"));
    norms.release();
    KeyValue current(std::move(held.key), std::move(held.value));
    for (index step = 0; step < rank.ring.size(); ++step) {
      const HeldRows& keys = rank.keys.of_ring(rank.ring.beside(-step));
      const index next_rows = rank.keys.of_ring(rank.ring.beside(-step - 1)).count();
      Hop next;
      const bool hops = step < rank.ring.size() - 1;
      if (hops) next = hop(rank, rank.ring, 1, current, "KV", next_rows, Messages::apart);
      const auto blocks = rank.attention.blocks(queries, keys);
      if (!blocks.empty()) answer->take_in(blocks, queries, {keys, current.key, current.value});
      Task<> hopped = next.finished();
      co_await hopped;
      if (hops) current = std::move(*next.coming);
    }
    current.release();
    held.query.release();
    co_return answer->finish();
  }

 private:
  /// Asks the right test about norms whose products are half as large.
  static bool seem_to_hold(const Rank& rank, const Buffer& norms) {
    scale(norms, std::sqrt(0.5));
    const bool hold = fixed_maxima_hold(rank, norms);
    scale(norms, std::sqrt(2));
    return hold;
  }
};

const Registrations<Mutant> registered{
    {.name = "codes_truncated",
     .summary = "cuts the codes of travelling keys, instead of rounding them",
     .property = "exact_selection",
     .reason = "not-exact",
     .problem = "shape=1x1x2x2x2:4",
     .kernel = [] { return mutant_of_codes<CodesTruncated>("codes_truncated"); },
     .twin = [] { return mesh_twin(ring_of_codes); }},
    {.name = "codes_wrap_around",
     .summary = "divides by a scale that is too small by 127/128, and lets the largest codes of travelling keys wrap",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return mutant_of_codes<CodesWrapAround>("codes_wrap_around"); },
     .twin = [] { return mesh_twin(ring_of_codes); }},
    {.name = "scales_one_hop_behind",
     .summary = "reads the codes of travelling keys with the scales that came one hop before",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return mutant_of_codes<ScalesOneHopBehind>("scales_one_hop_behind"); },
     .twin = [] { return mesh_twin(ring_of_codes); }},
    {.name = "small_rows_lose_their_scale",
     .summary = "takes the largest number of a travelling row for 0.0001 at least, so that small rows become zeros",
     .property = "value_scaled",
     .reason = "power-of-two",
     .problem = "shape=1x1x1x2x1 seed=2",
     .kernel = [] { return mutant_of_codes<SmallRowsLoseTheirScale>("small_rows_lose_their_scale"); },
     .twin = [] { return mesh_twin(ring_of_codes); }},
    {.name = "maximum_fixed_as_if_smoothed",
     .summary = "fixes maxima of unsmoothed keys up to the bound that smoothed ones allow: weights underflow",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1 scale=100 seed=264",
     .kernel =
         [] {
           return mesh_mutant("maximum_fixed_as_if_smoothed", std::make_shared<MaximumFixedAsIfSmoothed>(),
                              fixed_ring_of_two.mesh);
         },
     .twin = [] { return mesh_twin(fixed_ring_of_two); }},
};

}  // namespace
}  // namespace attestone::inline mutants
