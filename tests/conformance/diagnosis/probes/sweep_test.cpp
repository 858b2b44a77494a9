// SPDX-License-Identifier: Apache-2.0
// Every sentence that read-outs and diagnoses say of any mutant is held against what the mutant does: its declared
// variant, a list of what it rounds and of what it makes of scores, and the keys on which its answers really depend.
// slow: probes every kernel
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <numbers>
#include <set>

#include "conformance/diagnosis/diagnose.hpp"
#include "conformance/diagnosis/probes/effective_mask.hpp"
#include "conformance/diagnosis/probes/effective_scores.hpp"
#include "conformance/diagnosis/probes/precision_class.hpp"
#include "conformance/trial/trial.hpp"
#include "mutants/mutant.hpp"
#include "reference/registry.hpp"
#include "reference/tensor/row_reader.hpp"
#include "tests/conformance/diagnosis/larger_problem.hpp"
#include "tests/one_in.hpp"

namespace attestone {
namespace {

/// The mutants that are about precision, and what they round.
const std::map<std::string, std::string> rounds{{"scores_in_bf16", "bf16-S"},
                                                {"sums_of_14_bits", "14-bit accumulator"},
                                                {"tf32_products", "tf32"},
                                                {"weights_in_bf16", "bf16-P"}};

/// The mutants that are about scores, and what they make of q.k.
const std::map<std::string, double (*)(const Problem&, double)> scores{
    {"layout_guessed_from_extents", [](const Problem&, double) { return 0.0; }},  // of the K of another head
    {"parts_weigh_the_same", [](const Problem&, double) { return 0.0; }},         // where each part is one key
    {"scale_twice", [](const Problem& p, double q_k) { return p.scale() * p.scale() * q_k; }},
    {"scale_constant", [](const Problem&, double q_k) { return q_k / 8; }},
    {"softcap_ignored", [](const Problem& p, double q_k) { return p.scale() * q_k; }},
    {"softcap_of_nothing",
     [](const Problem& p, double q_k) { return p.scale() * q_k * std::tanh(p.scale() * q_k / *p.score.softcap()); }},
};

/// The variants that mutants compute on some problems only, so that none is named as the mutant's own.
const std::map<std::string, std::set<std::string>> computes{
    {"alibi_of_long_blocks_from_query_zero", {"bias aligned at the top left"}},
    {"bias_of_long_rows_from_first_query_of_chunk", {"bias of the first query"}},  // where one chunk has all
    {"causal_by_padded_extents", {"causal ignored"}},     // where the extents have many more keys than the sequence
    {"chunk_positions_from_zero", {"causal:top_left"}},   // as long as all queries are in one chunk
    {"diagonal_of_padded_extents", {"causal:top_left"}},  // where those are as many queries as keys
    // of two parts the second one, which is never read
    {"first_part_merged_twice", {"the last 1 of 33 keys never read", "the last 5 of 37 keys never read"}},
    {"four_parts_merged", {"the last 1 of 129 keys never read"}},
    {"key_head_offset_divides_strides", {"first kv head for all"}},  // where heads lie innermost
    {"key_scales_read_before_set", {"mean of V"}},                   // every score is 0
    {"key_tile_start_in_sixteen_bits", {"all zeros"}},               // where all keys that are seen lie behind 32,767
    {"last_part_lost", {"the last 1 of 33 keys never read", "the last 5 of 37 keys never read"}},
    {"long_grouped_decoding_reads_first_sequence", {"first sequence for all"}},
    {"lost_tail", {"the last 5 of 37 keys never read"}},
    {"share_of_a_split_rounded_down", {"the last 12 of 300 keys never read"}},
    {"sink_in_every_part", {"sink twice"}},                    // of two parts
    {"sink_seeded_again_behind_empty_split", {"sink twice"}},  // of two splits
    {"split_length_rounds_down", {"the last 1 of 129 keys never read"}},
    {"split_sink_twice_when_first_split_is_empty", {"sink twice"}},
    {"tail_mask_decided_by_extent_of_keys", {"7 keys of zeros take part"}},
    {"wide_window_turns_masking_off", {"window ignored"}},
    {"window_ends_top_left",
     {"all zeros"}},  // no key is seen where keys are more than queries and the window is narrow
    {"window_right_bound_dropped_for_few_queries", {"window without its right end"}},
    {"window_to_the_right_alone_ignored", {"window ignored"}},
};

bool is_true_of(const Mutant& mutant, const std::string& variant) {
  const auto known = computes.find(std::string(mutant.name));
  return variant == mutant.variant || (known != computes.end() && known->second.count(variant));
}

/// True if row (batch, head, query) of O changes when the V of a key does. The inputs are ordinary ones: Q, K and V are
/// normal, nothing is 0.
bool depends(const Kernel& kernel, const Problem& problem, const Pair& at) {
  Problem plain = problem;
  plain.fill = {}, plain.backward = false;
  Problem drawn = plain;
  drawn.seed += 77;  // of the inputs alone: masks and dropout stay
  Trial trial(kernel, plain);
  const Inputs inputs = filled(drawn);
  Inputs other = inputs;
  const View value = other.value.view();
  for (index c = 0; c < plain.shape.value_dim; ++c)
    value.set(at.batch, plain.shape.kv_head(at.head), at.key, c,
              value.value(at.batch, plain.shape.kv_head(at.head), at.key, c) + 1e3);
  const Outputs before = trial.run(inputs).outputs, after = trial.run(other).outputs;
  for (index c = 0; c < plain.shape.value_dim; ++c)
    if (before.out.view().value(at.batch, at.head, at.query, c) !=
        after.out.view().value(at.batch, at.head, at.query, c))
      return true;
  return false;
}

/// True if five calls give one answer. If a race decides the answer, no statement about it is true in every call.
bool repeats(const Kernel& kernel, const Problem& problem) {
  Problem plain = problem;
  plain.fill = {}, plain.backward = false;
  Trial trial(kernel, plain);
  const Inputs inputs = filled(plain);
  const std::vector<double> first = packed_values(trial.run(inputs).outputs.out.view());
  for (int call = 0; call < 4; ++call)
    if (packed_values(trial.run(inputs).outputs.out.view()) != first) return false;
  return true;
}

void check_mask(const Mutant& mutant, const Kernel& kernel, const Problem& problem, const MaskReadOut& read) {
  if (!repeats(kernel, problem)) return;
  index checked = 0;
  for (const index i : read.differing_queries())
    for (index j = 0; j < problem.shape.keys; ++j) {
      if (++checked > 120) return;
      const bool used = read.used[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      ASSERT_EQ(used, depends(kernel, problem, {read.batch, read.head, i, j}))
          << mutant.name << " q" << i << " k" << j << " " << problem.text();
    }
}

/// Counts of what was said of one kernel on one problem.
struct Said {
  index findings = 0, masks = 0, scores = 0, classes = 0;
};

void check(const Mutant& mutant, const Problem& problem, Said& said) {
  const SharedKernel kernel = mutant.kernel();
  if (!kernel->supports(problem)) return;
  const std::string name(mutant.name), where = name + " " + problem.text();
  const auto findings = diagnose(*kernel, problem);
  said.findings += findings.empty() ? 0 : 1;
  // Several are told as alternatives: one of them must be the truth.
  EXPECT_TRUE(findings.empty() || std::any_of(findings.begin(), findings.end(),
                                              [&](const Finding& f) { return is_true_of(mutant, f.name); }))
      << where << ": " << (findings.empty() ? "" : findings.front().name);
  if (const auto mask = wrong_mask(*kernel, problem)) ++said.masks, check_mask(mutant, *kernel, problem, *mask);
  for (const ScoreReadOut& read : wrong_scores(*kernel, problem)) {
    ++said.scores;
    ASSERT_TRUE(scores.count(name)) << where << ": a q.k of " << read.q_k << " becomes " << read.got;
    EXPECT_NEAR(read.got, scores.at(name)(problem, read.q_k), 1e-3) << where;
  }
  if (const auto worthy = worthy_class(*kernel, problem)) {
    ++said.classes;
    ASSERT_TRUE(rounds.count(name)) << where << ": " << worthy->is->name;
    EXPECT_EQ(worthy->is->name, rounds.at(name)) << where;
  }
}

/// In CI of those that are about scores and precision, and of an eighth of the others.
TEST(ReadOuts, SayNothingFalseOfAnyMutantSlow) {
  Said said;
  const OneIn part(8);
  index asked = 0;
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    const bool is_drawn = part.holds(name) || scores.contains(std::string(name)) || rounds.contains(std::string(name));
    if (name == "no_keys_crash" || !is_drawn) continue;  // crashes
    ++asked;
    try {
      check(mutant, parse_problem(mutant.problem), said);
      check(mutant, larger(mutant.problem), said);
    } catch (const KernelCrash&) {
    } catch (const KernelFault&) {
    } catch (const KernelRefusal&) {
    }
  }
  fmt::print("said of {} mutants, none of it false: {} diagnoses, {} masks, {} scores, {} classes\n", asked,
             said.findings, said.masks, said.scores, said.classes);
  EXPECT_GE(said.findings, part.is_all() ? 70 : 10);
  EXPECT_GE(said.masks, part.is_all() ? 20 : 3);
  EXPECT_GE(said.scores, 24);
  EXPECT_GE(said.classes, 8);
}

}  // namespace
}  // namespace attestone
