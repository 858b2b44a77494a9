// SPDX-License-Identifier: Apache-2.0
// Conventions as text: what is declared is what is said to differ, and mistakes are pointed at.
#include "reference/problem/conventions.hpp"

#include <gtest/gtest.h>

#include "reference/user_error.hpp"

namespace attestone {
namespace {

std::vector<std::string> texts(const Conventions& conventions) {
  std::vector<std::string> all;
  for (const DeclaredConvention& own : differing(conventions)) all.push_back(own.text());
  return all;
}

TEST(Conventions, AreThoseOfTheRulesUnlessDeclared) {
  EXPECT_EQ(texts({}), std::vector<std::string>{});
  EXPECT_EQ(declared_conventions("", "it"), Conventions{});
  std::string all;
  for (const ConventionField& field : convention_fields())
    all += std::string(field.name) + "=" + std::string(field.values.front().word) + " ";
  EXPECT_EQ(declared_conventions(all, "it"), Conventions{});
}

TEST(Conventions, SayWhatDiffersInTheWordsOfTheirDeclaration) {
  for (const ConventionField& field : convention_fields())
    for (std::size_t at = 1; at < field.values.size(); ++at) {
      const std::string text = std::string(field.name) + "=" + std::string(field.values[at].word);
      const Conventions declared = declared_conventions(text, "it");
      EXPECT_EQ(texts(declared), std::vector{text});
      EXPECT_EQ(differing(declared).front().meaning, field.values[at].meaning);
      EXPECT_EQ(differing(declared).front().rules, field.values.front().word);
    }
}

TEST(Conventions, AreDeclaredTogetherAndTheLastWordCounts) {
  const Conventions all = declared_conventions(
      " outputs=out  lse=log2 empty_rows=mean\thidden_nonfinite=propagates causal=top_left empty_rows=nan", "it");
  EXPECT_EQ(all.outputs, AnsweredTensors::out);
  EXPECT_EQ(all.empty_rows, EmptyRows::nan);
  EXPECT_EQ(all.hidden_nonfinite, HiddenNonfinite::propagates);
  EXPECT_EQ(all.lse, LogSumExpBase::log2);
  EXPECT_EQ(all.causal, CausalAlignment::top_left);
  EXPECT_FALSE(all.has_log_sum_exp());
  EXPECT_DOUBLE_EQ(all.log_sum_exp_unit(), 0.6931471805599453);
  EXPECT_EQ(Conventions{}.log_sum_exp_unit(), 1);
}

std::string error_of(const std::string& text) {
  try {
    declared_conventions(text, "mine.so");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Conventions, PointAtMistakes) {
  EXPECT_EQ(error_of("lse=ln empty_row=nan"),
            "mine.so declares the convention 'empty_row=nan'\n  lse=ln empty_row=nan\n         ^^^^^^^^^\n"
            "did you mean 'empty_rows'?");
  EXPECT_EQ(
      error_of("empty_rows=nam"),
      "mine.so declares the convention 'empty_rows=nam'\n  empty_rows=nam\n             ^^^\ndid you mean 'nan'?");
  for (const char* wrong : {"empty_rows", "empty_rows=", "=", "nan", "lse=log10", "outputs=log_sum_exp", "causal=0"})
    EXPECT_NE(error_of(wrong), "") << wrong;
}

}  // namespace
}  // namespace attestone
