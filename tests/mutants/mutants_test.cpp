// SPDX-License-Identifier: Apache-2.0
// Twins are right, mutants are wrong where they say so, and cheats are wrong everywhere.
// slow: goes through the mutants
#include <array>
#include <gtest/gtest.h>
#include <set>

#include "backends/kernel_fault.hpp"
#include "mutants/hosts/cheat.hpp"
#include "mutants/hosts/split.hpp"
#include "mutants/hosts/tiled.hpp"
#include "mutants/mutant.hpp"
#include "reference/quantization/coded_problem.hpp"
#include "reference/registry.hpp"
#include "tests/against_ladder.hpp"
#include "tests/effort.hpp"
#include "tests/one_in.hpp"
#include "tests/random_problem.hpp"

namespace attestone {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The problem's call, with what the fills of mutants are about put into the random inputs.
RandomCall call_for(const Problem& problem) {
  RandomCall call(problem);
  const auto change = [](Tensor& tensor, auto element) {
    const View view = tensor.view();
    for_each_element(view.extents(), [&](index b, index h, index row, index c) {
      view.set(b, h, row, c, element(row, view.value(b, h, row, c)));
    });
  };
  constexpr double large = 200, slope = 0.25;
  if (problem.fill.name == "large_logits")
    for (Tensor* tensor : {&call.inputs.query, &call.inputs.key})
      change(*tensor, [](index, double x) { return large * x; });
  if (problem.fill.name == "monotone") {
    change(call.inputs.query, [](index, double) { return 1.0; });
    change(call.inputs.key, [](index row, double) { return slope * static_cast<double>(row); });
  }
  return call;
}

TEST(Mutants, TheTwinsAgreeWithTheLadder) {
  constexpr std::array<std::string_view, 3> formats{"f32", "bf16", "f16"};
  std::mt19937_64 random(1);
  for (const SharedKernel& twin : {tiled_twin(), split_twin()})
    for (index n = 0; n < effort(150, 10000); ++n) {
      RandomCall call(random_problem(random, formats));
      if (!twin->supports(call.problem)) continue;
      ASSERT_EQ(call.run(*twin), twin->forward_bytes(call.problem)) << twin->name() << " " << call.problem.text();
      ASSERT_LE(worst_ratio(call, twin->numerics(call.problem)), 1) << twin->name() << " " << call.problem.text();
    }
}

const std::set<std::string_view> noticed_by_a_world{"deadlock",           "mesh-memory",         "mesh-traffic",
                                                    "mismatched-message", "request-not-awaited", "send-buffer-changed"};

std::string fault_of(RandomCall& call, const Kernel& kernel) {
  try {
    call.run(kernel);
    if (call.problem.backward) call.run_backward(kernel);
  } catch (const KernelFault& fault) {
    return fault.reason();
  }
  return "none";
}

/// In log_sum_exp, by their fill, or by a few times the bound.
const std::set<std::string_view> show_otherwise{"alibi_term_in_input_format",
                                                "cubic_exponential_for_every_format",
                                                "dropout_threshold_of_eight_bits",
                                                "f16_row_sum_sticks",
                                                "first_masked_tile_pins_maximum_at_zero",
                                                "half_scores_before_scale",
                                                "hidden_pairs_score_minus_ten_thousand",
                                                "running_maximum_starts_at_finite_sentinel",
                                                "running_row_sum_in_bf16",
                                                "scale_held_in_input_format",
                                                "scaled_query_rounded_to_input_format",
                                                "scores_of_wide_heads_join_in_input_format",
                                                "sink_enters_merge_in_base_two",
                                                "split_length_rounds_down",
                                                "split_partials_kept_in_input_format"};

/// In CI a quarter of them, but the texts of all; AreConvictedByTheirPropertyAndTheirTwinsAcquitted has each.
TEST(Mutants, AreWrongOnTheProblemThatShowsThem) {
  // What is shown by thousands of sequences or by long rows is not for the ladder.
  constexpr index most_sequences = 64, most_products = index{1} << 22;
  const OneIn part(4);
  for (const auto& [name, mutant] : Registry<Mutant>::all()) {
    EXPECT_EQ(parse_problem(mutant.problem).text(), mutant.problem) << name;
    if (!part.holds(name)) continue;
    RandomCall call = call_for(parse_problem(mutant.problem));
    const Shape& s = call.problem.shape;
    if (s.batch > most_sequences || s.rows() * s.keys * s.dim > most_products) continue;
    const SharedKernel twin = mutant.twin(), wrong = mutant.kernel();
    EXPECT_EQ(wrong->name(), name);
    if (computes_with_codes(twin->numerics(call.problem))) continue;  // which the ladder does not
    call.run(*twin);
    EXPECT_LE(worst_ratio(call, twin->numerics(call.problem)), 1) << name;
    if (noticed_by_a_world.contains(mutant.reason)) {
      EXPECT_EQ(fault_of(call, *wrong), mutant.reason) << name;
    } else if (mutant.property == "value_bound" && call.problem.fill.name != "nonfinite" &&
               !show_otherwise.contains(name)) {
      call.run(*wrong);
      EXPECT_GT(worst_ratio(call, wrong->numerics(call.problem)), 10) << name;
    }
  }
}

TEST(Mutants, TheLeakLetsNaNOut) {
  RandomCall call(parse_problem(Registry<Mutant>::find("leaked_nan")->problem));
  call.inputs.value.view().set(0, 0, 1, 0, nan);  // the first query does not see it
  call.run(*tiled_twin());
  EXPECT_FALSE(std::isnan(call.outputs.out.view().value(0, 0, 0, 0)));
  call.run(*Registry<Mutant>::find("leaked_nan")->kernel());
  EXPECT_TRUE(std::isnan(call.outputs.out.view().value(0, 0, 0, 0)));
}

TEST(Mutants, TheClampsHideNaN) {
  RandomCall call(parse_problem("shape=1x1x2x3x2"));
  call.inputs.query.view().set(0, 0, 1, 0, nan);
  call.run(*tiled_twin());
  EXPECT_TRUE(std::isnan(call.outputs.out.view().value(0, 0, 1, 0)));
  call.run(*Registry<Mutant>::find("nan_clamped_in_scores")->kernel());
  EXPECT_FALSE(std::isnan(call.outputs.out.view().value(0, 0, 1, 0)));
}

TEST(Cheats, AreWrongOnTheirSecondCallAtTheLatest) {
  EXPECT_EQ(Registry<Cheat>::all().size(), 7u);
  for (const auto& [name, cheat] : Registry<Cheat>::all()) {
    const SharedKernel kernel = cheat.kernel();
    double worst = 0;
    for (const char* seed : {"seed=2", "seed=3"}) {
      RandomCall call(parse_problem(std::string("shape=1x2x5x5x4 ") + seed));
      call.run(*kernel);
      worst = std::max(worst, worst_ratio(call, kernel->numerics(call.problem)));
    }
    EXPECT_GT(worst, 10) << name;
  }
}

}  // namespace
}  // namespace attestone
