// SPDX-License-Identifier: Apache-2.0
// A correct split kernel never exceeds the bounds of what it declares, in whatever form it merges; a wrong one does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/effort.hpp"
#include "tests/reference/error_bound/gradient_case.hpp"
#include "tests/reference/error_bound/merge_case.hpp"

namespace attestone::emulation {
namespace {

constexpr std::array<MergeForm, 4> forms{MergeForm::shared_maximum, MergeForm::rescaled_sums,
                                         MergeForm::late_correction, MergeForm::sigmoid};

std::string name_of(MergeForm form) {
  return std::array{"none", "shared_maximum", "rescaled_sums", "late_correction",
                    "sigmoid"}[static_cast<std::size_t>(form)];
}

class CorrectMerges : public testing::TestWithParam<std::tuple<MergeForm, std::string>> {};

void print(const std::string& what, const MergeShares& all) {
  fmt::print("{}: {} rows, {} elements, {} without bound, r_det {:.3f}, r_prob {:.3f}, log_sum_exp {:.3f} and {:.3f}\n",
             what, all.rows, all.elements, all.unbounded, all.deterministic, all.probabilistic, all.log_sum_exp,
             all.log_sum_exp_probabilistic);
}

// slow: judges many problems
TEST_P(CorrectMerges, StayWithinTheirForwardBounds) {
  const auto& [form, dtype] = GetParam();
  std::mt19937_64 random(11);
  MergeShares all;
  for (index each = 0; each < effort(200, 5000); ++each) {
    const MergeCase one = MergeCase::drawn(random, form, dtype, false);
    const MergeShares here = shares_of(one);
    ASSERT_LE(here.worst(), 1) << one.text();
    all.see(here);
  }
  EXPECT_LT(all.unbounded * 10, all.elements);
  print(fmt::format("{} {} forward", name_of(form), dtype), all);
}

// slow: judges many problems
TEST_P(CorrectMerges, StayWithinTheirBackwardBounds) {
  const auto& [form, dtype] = GetParam();
  std::mt19937_64 random(13);
  Shares all;
  for (index each = 0; each < effort(60, 5000); ++each) {
    const MergeCase one = MergeCase::drawn(random, form, dtype, true);
    const Problem problem = parse_problem(one.line);
    const Numerics numerics = declared(default_numerics(problem.input, problem.output), one.recipe);
    const GradientCase here(one.line, one.fill, 1, numerics);
    const BackwardRecipe recipe{.forward = one.recipe.within, .split = one.recipe};
    for (const auto& [gradient, shares] : here.shares(here.run(recipe))) {
      ASSERT_LE(shares.probabilistic, 1) << gradient << ": " << one.text();
      all.see(shares);
    }
  }
  fmt::print("{} {} backward: r_det {:.3f}, r_prob {:.3f}\n", name_of(form), dtype, all.deterministic,
             all.probabilistic);
}

INSTANTIATE_TEST_SUITE_P(Forms, CorrectMerges,
                         testing::Combine(testing::ValuesIn(forms), testing::Values("f32", "f16", "bf16")),
                         [](const auto& test) {
                           return name_of(std::get<0>(test.param)) + "_" + std::get<1>(test.param);
                         });

// slow: judges many problems
TEST(CorrectMergesOfAllForms, StayWithinTheirBoundsInManyRows) {
  std::mt19937_64 random(17);
  MergeShares all;
  const index rows = effort(3000, 1000000);
  for (index each = 0; all.rows < rows; ++each) {
    const auto at = static_cast<std::size_t>(each);
    const MergeCase one = MergeCase::drawn(random, forms[at % 4], std::array{"f32", "f16", "bf16"}[at % 3], false);
    const MergeShares here = shares_of(one);
    ASSERT_LE(here.worst(), 1) << one.text();
    all.see(here);
  }
  print("all forms", all);
}

/// One fault at a time, in every form that it can happen in.
TEST(WrongMerges, ExceedTheirBounds) {
  for (const MergeForm form : forms)
    for (const std::string dtype : {"f32", "f16", "bf16"})
      for (const MergeFault fault : {MergeFault::rescale_dropped, MergeFault::part_repeated, MergeFault::base_two}) {
        if (form == MergeForm::shared_maximum && fault == MergeFault::rescale_dropped) continue;  // there is none
        for (const index parts : {2, 3, 9}) {
          MergeCase one{"shape=1x1x4x36x16:4 seed=3 dtype=" + dtype,
                        "normal",
                        {.within = {.name = "wrong"}, .form = form, .parts = parts}};
          EXPECT_LE(shares_of(one).worst(), 1) << one.text();
          one.recipe.fault = fault;
          EXPECT_GT(shares_of(one).worst(), 1) << static_cast<int>(fault) << " " << one.text();
        }
      }
}

}  // namespace
}  // namespace attestone::emulation
