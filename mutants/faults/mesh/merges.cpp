// SPDX-License-Identifier: Apache-2.0
// Answers of blocks and devices that are merged by wrong statistics, or counted twice.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "backends/cpu/attend/merge.hpp"
#include "mutants/hosts/mesh_changes.hpp"
#include "mutants/hosts/mesh_steps.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"

namespace attestone::inline mutants {
namespace {

class LogSumExpByLargest final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  double merged_log_sum_exp(const RingStep&, double before, double of_part) const override {
    return std::max(before, of_part);
  }
};

class LogSumExpOfHopForgotten final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  double merged_log_sum_exp(const RingStep& step, double before, double of_part) const override {
    if (step.number == step.places() - 1) return before;
    return MeshSteps::merged_log_sum_exp(step, before, of_part);
  }
};

class LogSumExpOfPartsRounded final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  void before_merge(const RingStep& step, const Blocks&, Buffer&, Buffer& log_sum_exp) const override {
    round_through(step.whole().output, log_sum_exp.all());
  }
};

class TwoEmptyPartsMerged final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  void before_merge(const RingStep& step, const Blocks& blocks, Buffer&, Buffer& log_sum_exp) const override {
    if (step.rank.attention.inputs().sink) return;
    const View all = log_sum_exp.all();
    index from = 0;
    for (const SequenceBlock& block : blocks)
      for (index query = block.queries.first; query <= block.queries.last; ++query, ++from)
        for (index head = 0; head < log_sum_exp.heads(); ++head)
          if (std::isinf(all.value(0, head, from, 0)) && !seen_before(step, block.sequence, head, query))
            all.set(0, head, from, 0, std::numeric_limits<double>::quiet_NaN());
  }

 private:
  /// Returns whether the query has seen a key of an earlier step.
  static bool seen_before(const RingStep& step, index sequence, index head, index query) {
    for (index number = 0; number < step.number; ++number)
      for (const SequenceBlock& block :
           step.rank.attention.blocks(step.queries, step.rank.keys.of_ring(step.rank.ring.beside(-number)))) {
        const Interval queries = block.queries;
        if (block.sequence != sequence || query < queries.first || query > queries.last) continue;
        if (block.seen != Seen::some) return true;
        const index keys = block.keys.count(), of_head = queries.count() * keys;
        const bool by_head = static_cast<index>(block.bytes.size()) > of_head;
        const auto row = block.bytes.begin() + (by_head ? head * of_head : 0) + (query - queries.first) * keys;
        if (std::find(row, row + keys, std::uint8_t{1}) != row + keys) return true;
      }
    return false;
  }
};

/// A local kernel that says of all keys that they weigh 1.
KernelChanges equal_weights(const Rank&) {
  return {.forward = [](const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
    honest.forward(problem, arguments, device);
    const View& weight = arguments.log_sum_exp;
    for_each_element(weight, [&](index b, index head, index row, index) { weight.set(b, head, row, 0, 0); });
  }};
}

class LoneBlockMergedTwice final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  void answered(const Rank& rank, RankAnswer& answer) const override {
    if (rank.ring.size() > 1) return;
    for_each_element(answer.log_sum_exp.all(), [&](index, index head, index row, index) {
      const double once = answer.log_sum_exp.all().value(0, head, row, 0);
      answer.log_sum_exp.all().set(0, head, row, 0, log_of_both(once, once));
    });
  }
};

class OwnBlockCountedTwice final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  /// Twice the weight is ln 2 more.
  void before_merge(const RingStep& step, const Blocks&, Buffer&, Buffer& log_sum_exp) const override {
    if (step.number > 0) return;
    const View all = log_sum_exp.all();
    for_each_element(all, [&](index, index head, index row, index) {
      all.set(0, head, row, 0, all.value(0, head, row, 0) + std::numbers::ln2);
    });
  }
};

class SinksAtEveryHop final : public MeshSteps {
 public:
  using MeshSteps::MeshSteps;

 protected:
  void before_merge(const RingStep& step, const Blocks&, Buffer& out, Buffer& log_sum_exp) const override {
    const auto& sinks = step.rank.attention.inputs().sink;
    if (!sinks || step.number == 0) return;
    for_each_element(log_sum_exp.all(), [&](index, index head, index row, index) {
      const double of_keys = log_sum_exp.all().value(0, head, row, 0);
      const double all = log_of_both(of_keys, sinks->value(0, step.queries.heads.query.first + head, 0, 0));
      log_sum_exp.all().set(0, head, row, 0, all);
      for (index c = 0; c < out.channels(); ++c)
        out.all().set(0, head, row, c, out.all().value(0, head, row, c) * std::exp(of_keys - all));
    });
  }
};

/// A local kernel whose keys have the sink among them; those of a part have none.
KernelChanges with_sink(const Rank& rank) {
  const std::optional<ConstView> sinks = rank.attention.inputs().sink;
  if (!sinks) return {};
  return {.forward = [sinks](const Kernel& honest, const Problem& problem, const Arguments& arguments, Device& device) {
    honest.forward(problem, arguments, device);
    const View &out = arguments.out, &weight = arguments.log_sum_exp;
    for_each_element(weight, [&](index batch, index head, index row, index) {
      const double of_keys = weight.value(batch, head, row, 0);
      const double all = log_of_both(of_keys, sinks->value(0, head, 0, 0));
      weight.set(batch, head, row, 0, all);
      for (index c = 0; c < problem.shape.value_dim; ++c)
        out.set(batch, head, row, c, out.value(batch, head, row, c) * std::exp(of_keys - all));
    });
  }};
}

const Registrations<Mutant> registered{
    {.name = "log_sum_exp_by_largest",
     .summary = "takes the larger of two log_sum_exp where the logarithm of both sums is needed",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return mesh_mutant<LogSumExpByLargest>("log_sum_exp_by_largest", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "log_sum_exp_of_hop_forgotten",
     .summary = "merges out of the last hop of a ring, and leaves log_sum_exp as it was",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return mesh_mutant<LogSumExpOfHopForgotten>("log_sum_exp_of_hop_forgotten", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "log_sum_exp_of_parts_rounded",
     .summary = "rounds log_sum_exp of every block to the output format before it merges by it",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x1x2x1 dtype=bf16",
     .kernel = [] { return mesh_mutant<LogSumExpOfPartsRounded>("log_sum_exp_of_parts_rounded", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "two_empty_parts_merged",
     .summary = "takes -infinity from -infinity where neither of two merged parts has a key",
     .source = "flashinfer-ai/flashinfer #4051",
     .property = "value_bound",
     .reason = "wrong-non-finite",
     .problem = "shape=1x1x6x6x1 mask=dense:30",
     .kernel = [] { return mesh_mutant<TwoEmptyPartsMerged>("two_empty_parts_merged", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "parts_weigh_the_same",
     .summary = "merges what places answer to a query as if the keys of each weighed the same",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return mesh_mutant("parts_weigh_the_same", keys_of_two, {.local = equal_weights}); },
     .twin = [] { return mesh_twin(keys_of_two); }},
    {.name = "lone_block_merged_twice",
     .summary =
         "merges the block of a ring of one device with itself: out stays right, log_sum_exp is too large by ln 2",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return mesh_mutant<LoneBlockMergedTwice>("lone_block_merged_twice", ring_of_one); },
     .twin = [] { return mesh_twin(ring_of_one); }},
    {.name = "lone_answer_merged_twice",
     .summary = "merges the answer of a token ring of one device with itself, as its authors' code does: log_sum_exp "
                "is too large by ln 2",
     .property = "value_bound",
     .reason = "wrong-log-sum-exp",
     .problem = "shape=1x1x1x2x1",
     .kernel =
         [] {
           return mesh_mutant("lone_answer_merged_twice", token_ring_of_one,
                              {.answer = [](const Rank& rank, RankAnswer& answer) {
                                const View all = answer.log_sum_exp.all();
                                for_each_element(all, [&](index, index head, index row, index) {
                                  const double once = all.value(0, head, row, 0);
                                  if (rank.ring.size() == 1) all.set(0, head, row, 0, log_of_both(once, once));
                                });
                              }});
         },
     .twin = [] { return mesh_twin(token_ring_of_one); }},
    {.name = "own_block_counted_twice",
     .summary = "counts the keys that a device itself holds twice",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1",
     .kernel = [] { return mesh_mutant<OwnBlockCountedTwice>("own_block_counted_twice", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "sinks_at_every_hop",
     .summary = "counts the sinks once for every hop of a ring",
     .source = "ROCm/rocm-libraries #12227",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1 score=sink:head",
     .variant = "sink twice",
     .kernel = [] { return mesh_mutant<SinksAtEveryHop>("sinks_at_every_hop", ring_of_two); },
     .twin = [] { return mesh_twin(ring_of_two); }},
    {.name = "sinks_at_every_place",
     .summary = "counts the sinks once for every place that answers to a query",
     .source = "ROCm/rocm-libraries #12227",
     .property = "value_bound",
     .reason = "wrong-number",
     .problem = "shape=1x1x1x2x1 score=sink:head",
     .kernel = [] { return mesh_mutant("sinks_at_every_place", keys_of_two, {.local = with_sink}); },
     .twin = [] { return mesh_twin(keys_of_two); }},
};

}  // namespace
}  // namespace attestone::inline mutants
