// SPDX-License-Identifier: Apache-2.0
// What would have to be declared: named rightly of kernels whose arithmetic is known, because it is made here; and
// nothing of kernels that are wrong in other ways.
// slow: judges many problems
#include "conformance/diagnosis/declarations/sufficient_declaration.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <set>
#include <span>

#include "backends/catalogue.hpp"
#include "backends/changed_kernel.hpp"
#include "conformance/run/run.hpp"
#include "mutants/hosts/stored.hpp"
#include "mutants/mutant.hpp"
#include "reference/numerics/declaration.hpp"
#include "reference/registry.hpp"
#include "tests/conformance/diagnosis/declarations/emulated_gradients.hpp"
#include "tests/conformance/diagnosis/larger_problem.hpp"
#include "tests/conformance/diagnosis/probes/emulations.hpp"
#include "tests/one_in.hpp"

namespace attestone {
namespace {

double bf16(double x) { return with_bits(x, 8); }
double e4m3(double x) { return dtype("e4m3").round(x); }
double tf32(double x) { return with_bits(x, 11); }
template <int bits>
double cut(double x) {
  return cut_to_bits(x, bits);
}
/// Off by 2^-11 at most; 1 stays 1.
double fast_exponential(double p) { return p == 1 ? 1 : p * (1 + 0x1p-11 * std::sin(1e4 * p)); }

KernelRun judged(const SharedKernel& kernel, const std::string& problem) {
  return examine(kernel,
                 {.problems = {parse_problem(problem)},
                  .properties = {Registry<Property>::find("value_bound"), Registry<Property>::find("gradient_bound")}});
}

/// A kernel that rounds in a known way, a problem on which it fails the default class, and a field that says so.
struct Emulated {
  const char* name;
  SharedKernel kernel;
  std::string problem;
  std::string field;
};

SharedKernel declaring(const SharedKernel& kernel, const std::string& declares) {
  return changed(kernel, {.numerics = [=](const Problem& problem) {
                   return with_declared(kernel->numerics(problem), declares, "the report");
                 }});
}

/// The declaration that is named holds for the failing problem and for problems of its kind that no search has asked.
void expect_holds(const SharedKernel& kernel, const std::string& problem, const std::string& declares) {
  const SharedKernel humble = declaring(kernel, declares);
  EXPECT_TRUE(judged(humble, problem).failures.empty()) << problem << " --declare='" << declares << "'";
  Problem fresh = parse_problem(problem);
  for (const char* fill : {"normal", "uniform", "wide", "near_ties"})
    for (index n = 0; n < 8; ++n) {
      fresh.seed = 900'000 + static_cast<std::uint64_t>(n);
      fresh.fill = parse_problem(std::string("shape=1x1x1x1x1 fill=") + fill).fill;
      fresh.shape.keys += 5, fresh.shape.queries += 2;
      EXPECT_TRUE(judged(humble, fresh.text()).failures.empty()) << fresh.text() << " --declare='" << declares << "'";
    }
}

/// Expects that declarations which are named hold, and are mostly of the field that the kernel is about. In CI for an
/// eighth of them.
void expect_named(std::span<const Emulated> all) {
  const OneIn part(8);
  index asked = 0, of_its_field = 0;
  for (const Emulated& each : all) {
    if (!part.holds(each.name)) continue;
    const KernelRun run = judged(each.kernel, each.problem);
    ASSERT_FALSE(run.failures.empty()) << each.name << " does not fail";
    ++asked;
    if (!run.would_pass) continue;
    const std::string& declares = run.would_pass->declares;
    fmt::print("{}: {}\n", each.name, declares);
    ASSERT_NE(declares, "") << each.name;
    of_its_field += declares.find(each.field) != std::string::npos;
    expect_holds(each.kernel, each.problem, declares);
  }
  fmt::print("{} of {} by the field that the kernel is about\n", of_its_field, asked);
  if (part.is_all()) {
    EXPECT_GE(2 * of_its_field, asked);
  }
}

TEST(SufficientDeclaration, IsNamedForAnswersSlow) {
  const std::string plain = "shape=1x2x9x40x16";
  const Emulated all[]{
      {"f16 scores", Emulation{.score = in_f16}.kernel("a"), plain, "score_roundoff"},
      {"bf16 scores", Emulation{.score = bf16}.kernel("b"), plain, "score_roundoff"},
      {"tf32 products", Emulation{.operand = tf32}.kernel("c"), plain, "score.operand_roundoff"},
      {"14 bits", Emulation{.product = cut<14>, .sum = cut<14>}.kernel("d"), plain, "accumulator"},
      {"13 bits", Emulation{.product = cut<13>, .sum = cut<13>}.kernel("e"), plain, "accumulator"},
      {"fast exp", Emulation{.exponential = fast_exponential}.kernel("f"), plain, "exp_error"},
      {"normalised f16 weights", Emulation{.weight = in_f16, .normalised = true}.kernel("g"), plain, "weight_roundoff"},
      {"bf16 weights", Emulation{.weight = bf16}.kernel("h"), plain, "weight_roundoff"},
      {"e4m3 weights", Emulation{.weight = e4m3}.kernel("i"), plain + " dtype=f16", "weight_roundoff"},
      {"rounded rescaling", Emulation{.tile = 4, .rescale = bf16}.kernel("j"), plain, "exp_error"},
      {"merges in bf16", Emulation{.part = 8, .merged = bf16}.kernel("k"), plain, "value.accumulator.roundoff"},
      {"O in bf16 while it is added up", Emulation{.sum = bf16}.kernel("l"), plain, "value.accumulator.roundoff"},
      {"f16 accumulators", Emulation{.product = in_f16, .sum = in_f16}.kernel("m"), plain, "accumulator"},
      {"O in bf16", Emulation{.out = bf16}.kernel("n"), plain, "output_roundoff"},
      {"f16 log_sum_exp", Emulation{.log_sum_exp = in_f16}.kernel("o"), plain, "log_sum_exp_roundoff"},
      {"bf16 scores of bf16", Emulation{.score = bf16}.kernel("q"), "shape=1x2x9x40x16 dtype=bf16 fill=wide",
       "score_roundoff"},
  };
  expect_named(all);
}

TEST(SufficientDeclaration, IsNamedForGradientsSlow) {
  const std::string plain = "shape=1x2x9x24x8 pass=forward+backward";
  const Emulated all[]{
      {"dS in bf16", EmulatedGradients{.score_gradient = bf16}.kernel("a"), plain, "score_gradient_roundoff"},
      {"delta of O in bf16", EmulatedGradients{.out = bf16}.kernel("b"), plain, "output_roundoff"},
      // Stored dP allows delta, which may be summed from it, as much.
      {"delta in bf16", EmulatedGradients{.delta = bf16}.kernel("c"), plain, "gradient.stored.roundoff"},
      {"dQ in bf16", EmulatedGradients{.query_sum = bf16}.kernel("d"), plain, "gradient.accumulator.roundoff"},
      {"dP in bf16", EmulatedGradients{.projection = bf16}.kernel("g"), plain + " fill=near_ties",
       "gradient.stored.roundoff"},
      {"dS of P in bf16", EmulatedGradients{.score_weight = bf16}.kernel("f"), plain,
       "roundoff"},  // of P, or of dS, which err as much
      {"P in bf16", EmulatedGradients{.weight = bf16}.kernel("e"), plain, "weight_roundoff"},
  };
  expect_named(all);
}

/// Fields that a kernel declares as larger than 0.
std::vector<std::string> declared_sizes(const Kernel& kernel, const Problem& problem) {
  std::vector<std::string> all;
  for (const auto& [name, value] : field_values(kernel.numerics(problem)))
    if (value.find_first_of(".e") != std::string::npos && value.find_first_not_of("0123456789.e-") == std::string::npos)
      all.push_back(name);
  return all;
}

/// Right kernels that are declared two to sixty-four times better than they are. Nothing is said, or what is said
/// holds. In CI of an eighth of the fields.
TEST(SufficientDeclaration, OfKernelsThatDeclareTooLittleHoldsSlow) {
  const OneIn part(8);
  index failing = 0, named = 0, refuted = 0;
  for (const char* name : {"flash", "dense", "split"})
    for (const std::string dtype : {"f32", "bf16"}) {
      const SharedKernel kernel = make_kernel(name);
      const std::string problem =
          "shape=2x4/2x12x48x16 score=softcap:5 scale=4 seed=3 pass=forward+backward dtype=" + dtype;
      const Problem read = parse_problem(problem);
      for (const std::string& field : declared_sizes(*kernel, read))
        for (const double factor : {2, 8, 64}) {
          if (!part.holds(fmt::format("{} {} {} {}", name, dtype, field, factor))) continue;
          double declared = 0;
          for (const auto& [own, value] : field_values(kernel->numerics(read)))
            if (own == field) declared = std::stod(value);
          const SharedKernel proud = declaring(kernel, fmt::format("{}={:a}", field, declared / factor));
          const KernelRun run = judged(proud, problem);
          if (run.failures.empty()) continue;
          ++failing;
          if (!run.would_pass) continue;
          if (run.would_pass->declares.empty()) {
            ++refuted;
            continue;
          }
          ++named;
          expect_holds(proud, problem, run.would_pass->declares);
        }
    }
  fmt::print("{} fail, of {} a declaration is named, of {} it is said that no field explains them\n", failing, named,
             refuted);
  EXPECT_EQ(refuted, 0) << "the field that was declared too small would do";
}

/// Too little was asked, or too little answered: nothing is said.
TEST(SufficientDeclaration, IsNotSoughtWhereLittleIsKnown) {
  const SharedKernel in_half = storing_kernel("f16", [](const StoredElement& element) {
    return element.tensor == TensorName::out ? dtype("f16").round(element.value) : element.value;
  });
  const KernelRun run = judged(in_half, "shape=1x1x1x1x8");
  EXPECT_FALSE(run.failures.empty());
  if (run.would_pass) {
    ASSERT_NE(run.would_pass->declares, "");
    expect_holds(in_half, "shape=1x1x1x1x8", run.would_pass->declares);
  }
}

/// Mutants that are wrong by what they round: of these something is said, rightly.
const std::set<std::string, std::less<>> rounds{"backward_prescales_keys_in_input_format",
                                                "backward_scores_pass_through_half",
                                                "cubic_exponential_for_every_format",
                                                "dbias_added_up_in_output_format",
                                                "delta_in_half",
                                                "delta_truncated",
                                                "f16_row_sum_sticks",
                                                "group_gradients_summed_in_output_format",
                                                "half_scores_before_scale",
                                                "key_gradient_in_bf16",
                                                "log_sum_exp_in_half",
                                                "log_sum_exp_of_parts_rounded",
                                                "row_sum_in_half",
                                                "running_row_sum_in_bf16",
                                                "scale_held_in_input_format",
                                                "scaled_query_rounded_to_input_format",
                                                "scores_in_bf16",
                                                "scores_of_wide_heads_join_in_input_format",
                                                "sink_gradient_in_bf16",
                                                "split_partials_kept_in_input_format",
                                                "sums_of_14_bits",
                                                "tf32_products",
                                                "weights_in_bf16"};

/// How often bounds failed, and how often a declaration was looked for: not where a diagnosis explains the failure.
struct Searches {
  index failing = 0, searched = 0;
};

/// The declaration with which a wrong kernel would pass; empty if none is named, or if its bounds do not fail.
std::string said_of(const SharedKernel& kernel, const Problem& problem, Searches& count) {
  if (!kernel->takes(problem)) return "";
  const KernelRun run = judged(kernel, problem.text());
  count.failing += run.failures.empty() ? 0 : 1;
  count.searched += run.would_pass ? 1 : 0;
  return run.would_pass ? run.would_pass->declares : "";
}

/// In CI an eighth of them.
TEST(SufficientDeclaration, IsNotNamedForWrongKernelsSlow) {
  Searches count;
  index asked = 0;
  const OneIn part(8);
  for (const char* name : {"lost_tail",
                           "causal_top_left",
                           "window_off_by_one",
                           "scale_twice",
                           "scale_constant",
                           "missing_rescale",
                           "short_denominator",
                           "maximum_of_each_tile",
                           "averaged_denominators",
                           "first_kv_head",
                           "kv_head_modulo",
                           "alibi_sign",
                           "bias_before_softcap",
                           "softcap_ignored",
                           "sink_per_tile",
                           "sink_scaled",
                           "log_sum_exp_base_2",
                           "parts_weigh_alike",
                           "first_part_merged_twice",
                           "last_part_lost",
                           "padding_keys_weigh",
                           "no_delta",
                           "scale_twice_in_query_gradient",
                           "bias_tail_taken_from_last_whole_vector"}) {
    if (!part.holds(name)) continue;
    ++asked;
    const Mutant& mutant = *Registry<Mutant>::find(name);
    EXPECT_EQ(said_of(mutant.kernel(), larger(mutant.problem), count), "") << name;
    ASSERT_EQ(count.failing, asked) << name << " does not fail";
  }
  // Those that do not fail on a larger problem, or of which something was said on the problems that show them.
  for (const char* name :
       {"half_of_wide_heads", "short_gradient_product", "single_tail_key_of_shared_heads_repeats_the_one_before",
        "sink_enters_merge_in_base_two", "softcap_slope_from_biased_score"}) {
    if (!part.holds(name)) continue;
    ++asked;
    const Mutant& mutant = *Registry<Mutant>::find(name);
    EXPECT_EQ(said_of(mutant.kernel(), parse_problem(mutant.problem), count), "") << name;
    ASSERT_EQ(count.failing, asked) << name << " does not fail";
  }
  fmt::print("{} fail, a declaration was looked for in {}\n", count.failing, count.searched);
  EXPECT_GT(asked, 0) << "seed " << seed() << " draws no mutant";
}

/// In CI for some of them.
TEST(SufficientDeclaration, IsNotNamedForAnyMutantSlow) {
  Searches count;
  const OneIn part(32);
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    if (!part.holds(name) || (mutant.property != "value_bound" && mutant.property != "gradient_bound") ||
        rounds.count(name))
      continue;
    for (const Problem& problem : {parse_problem(mutant.problem), larger(mutant.problem)})
      EXPECT_EQ(said_of(mutant.kernel(), problem, count), "") << name << " " << problem.text();
  }
  fmt::print("{} failures of mutants; a declaration was looked for in {}\n", count.failing, count.searched);
  EXPECT_GE(count.failing, part.is_all() ? 300 : 8);
}

/// The fault is as small as a rounding, but leans: whatever V is, and however many keys. In CI one factor.
TEST(SufficientDeclaration, IsNotNamedForFactorsSlow) {
  const Problem forward = parse_problem("shape=1x2x9x40x16");
  const Problem backward = parse_problem("shape=1x2x9x24x8 pass=forward+backward");
  std::vector<std::pair<SharedKernel, Problem>> asked{{EmulatedGradients{.key_factor = 0.99}.kernel("0.99"), backward}};
  for (const double factor : {0.9, 0.99, 0.999, 1.001, 1.1})
    asked.emplace_back(Emulation{.denominator = factor}.kernel(fmt::to_string(factor)), forward);
  const std::size_t drawn = seed() % asked.size();
  if (effort(1, 0)) asked = {asked[drawn]};
  Searches count;
  for (const auto& [kernel, problem] : asked)
    EXPECT_EQ(said_of(kernel, problem, count), "") << kernel->name() << " " << problem.text();
  EXPECT_EQ(count.failing, std::ssize(asked));
}

}  // namespace
}  // namespace attestone
