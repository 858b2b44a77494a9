// SPDX-License-Identifier: Apache-2.0
// Declarations that begin with the arithmetic of a kernel of the catalogue.
#include "backends/plugins/declared/declared_numerics.hpp"

#include <gtest/gtest.h>

#include "backends/catalogue.hpp"
#include "reference/numerics/declaration.hpp"
#include "reference/numerics/declared_class.hpp"
#include "reference/user_error.hpp"
#include "tests/contains.hpp"

namespace attestone {
namespace {

const Problem problem = parse_problem("shape=1x2x200x300x128 dtype=bf16");
const Numerics own = default_numerics(problem.input, problem.output);

std::string fields_of(const Numerics& numerics) { return declaration(own, numerics); }
std::string declared(const std::string& text) { return fields_of(DeclaredNumerics(text, "it").on(problem, own)); }
std::string mistake(const std::string& text) {
  try {
    DeclaredNumerics(text, "it");
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(DeclaredNumerics, AreThoseOfTheModelOnTheProblem) {
  for (const std::string name : {"sage3_fp4", "sage_qk_int8_pv_fp16_cuda:accumulator=fp16+fp32:granularity=per_warp"}) {
    EXPECT_EQ(declared("like=" + name), fields_of(make_kernel(name)->numerics(problem)));
    const Problem other = parse_problem("shape=1x2x200x300x32 dtype=f16");
    EXPECT_EQ(declaration(own, DeclaredNumerics("like=" + name, "it").on(other, own)),
              declaration(own, make_kernel(name)->numerics(other)));
  }
  EXPECT_EQ(declared(""), "");
}

TEST(DeclaredNumerics, ChangeTheModelsWhereverItsNameStands) {
  Numerics wanted = make_kernel("sage3_fp4")->numerics(problem);
  wanted.weight.exp_error = 0.125;
  for (const char* text : {"like=sage3_fp4 weight.exp_error=0.125", "weight.exp_error=0.125 like=sage3_fp4"})
    EXPECT_EQ(declared(text), fields_of(wanted)) << text;
}

TEST(DeclaredNumerics, PointAtMistakes) {
  EXPECT_EQ(mistake("exp_error=0 like=sage3_fp5"),
            "it declares the numerics 'like=sage3_fp5'\n  exp_error=0 like=sage3_fp5\n                   ^^^^^^^^^\n"
            "did you mean 'sage3_fp4'?");
  EXPECT_TRUE(contains(mistake("like=sage3_fp4:mean=row"), "mean=row")) << mistake("like=sage3_fp4:mean=row");
  EXPECT_TRUE(contains(mistake("like=flash like=dense"), "once"));
  EXPECT_TRUE(contains(mistake("like=flash exp_eror=0"), "did you mean 'exp_error'?"));
  EXPECT_EQ(mistake("exp_error=0 exp_error=1"),
            "it declares the numerics 'exp_error=1'\n  exp_error=0 exp_error=1\n              ^^^^^^^^^\nsay it once");
}

TEST(DeclaredNumerics, SayFormAndPartsOfMergesTogether) {
  EXPECT_EQ(mistake("merge.form=sigmoid"),
            "it declares the numerics 'merge.form=sigmoid'\n  merge.form=sigmoid\n  ^^^^^^^^^^\n"
            "merge.parts=N says how many parts of a row are merged; without it, none are");
  EXPECT_TRUE(contains(mistake("exp_error=0 merge.parts=4"), "merge.form=FORM says how the parts are merged"));
  EXPECT_TRUE(contains(mistake("merge.form=none merge.parts=4"), "merge.form=FORM"));
  for (const char* right : {"merge.form=sigmoid merge.parts=4", "merge.form=none merge.parts=1", "merge.form=none",
                            "like=split merge.form=sigmoid"})
    EXPECT_EQ(mistake(right), "none") << right;
}

/// 300 KB of words never ended: each held a copy of all of them.
TEST(DeclaredNumerics, OfAMillionBytesAreReadInATimeThatGrowsWithThem) {
  std::string many;
  while (many.size() < 1'000'000) many += "x ";
  EXPECT_TRUE(contains(mistake(many), "declares the numerics 'x'"));
  std::string repeated = "exp_error=0";
  while (repeated.size() < 1'000'000) repeated += " exp_error=0";
  EXPECT_TRUE(contains(mistake(repeated), "say it once"));
}

}  // namespace
}  // namespace attestone
