// SPDX-License-Identifier: Apache-2.0
// Which elements a convention is about, and which it leaves to the rules.
#include "conformance/conventions/by_convention.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "conformance/problems/fill.hpp"
#include "conformance/verdict/element_error.hpp"

namespace attestone {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

/// The truth of a problem, by these conventions.
struct Held {
  Held(
      const char* text, const char* conventions, void (*spoil)(Inputs&) = [](Inputs&) {})
      : problem(parse_problem(text)), inputs(filled(problem)), own(declared_conventions(conventions, "the test")) {
    spoil(inputs);
  }
  Truth forward() const { return by_convention(certify_forward(problem, inputs), own, problem, inputs); }
  GradientTruth backward() const { return by_convention(certify_backward(problem, inputs), own, problem, inputs); }

  Problem problem;
  Inputs inputs;
  Conventions own;
};

/// True if NaN is right in an element of the answer, or in a number of its row if the channel means that.
bool takes_nan(const Truth& truth, index b, index h, index i, index c) {
  const Certified& element = truth.element(b, h, i, c);
  return is_left_open(element) || element_error(nan, element, 0, dtype("f32"), truth.admissible(b, h, i, c)) == 0;
}
bool takes_zero(const Truth& truth, index b, index h, index i, index c) {
  return element_error(0, truth.out(b, h, i, c), 0, dtype("f32"), truth.admissible(b, h, i, c)) == 0;
}

bool takes_nan(const Certified& gradient) { return gradient.non_finite != NonFinite::wrong; }

// Query 0 sees no key, query 1 sees key 0.
const char* const half_blind = "shape=1x1x3x2x4 mask=causal pass=forward+backward";

TEST(ByConvention, TheRulesChangeNothing) {
  const Held held(half_blind, "");
  const Truth truth = held.forward(), right = certify_forward(held.problem, held.inputs);
  for (index i = 0; i < 3; ++i)
    for (index c = 0; c < 4; ++c) {
      EXPECT_EQ(truth.out(0, 0, i, c).value, right.out(0, 0, i, c).value);
      EXPECT_FALSE(takes_nan(truth, 0, 0, i, c));
    }
}

TEST(ByConvention, NanIsDemandedOfRowsWithoutKeysAlone) {
  const Truth truth = Held(half_blind, "empty_rows=nan").forward();
  for (index c = 0; c < 4; ++c) {
    EXPECT_TRUE(takes_nan(truth, 0, 0, 0, c));
    EXPECT_FALSE(takes_zero(truth, 0, 0, 0, c));
    for (index i = 1; i < 3; ++i) EXPECT_FALSE(takes_nan(truth, 0, 0, i, c)) << i;
  }
  EXPECT_TRUE(takes_nan(truth, 0, 0, 0, -1));
  EXPECT_FALSE(takes_nan(truth, 0, 0, 1, -1));
  const auto* log_sum_exps = truth.admissible(0, 0, 0, -1);
  ASSERT_TRUE(log_sum_exps);
  EXPECT_EQ(element_error(-infinity, truth.log_sum_exp(0, 0, 0), 0, dtype("f32"), log_sum_exps), 0);
  EXPECT_EQ(element_error(infinity, truth.log_sum_exp(0, 0, 0), 0, dtype("f32"), log_sum_exps), infinity);
}

TEST(ByConvention, ZeroIsRightBesideNanWhereThereAreNoKeysAtAll) {
  const Truth truth = Held("shape=1x1x2x0x4", "empty_rows=nan").forward();
  EXPECT_TRUE(takes_nan(truth, 0, 0, 1, 2));
  EXPECT_TRUE(takes_zero(truth, 0, 0, 1, 2));
}

TEST(ByConvention, ARowWithASinkIsNotEmptyUnlessItIsUndefined) {
  const char* const with_sink = "shape=1x1x3x2x4 mask=causal score=sink:head";
  EXPECT_FALSE(takes_nan(Held(with_sink, "empty_rows=nan").forward(), 0, 0, 0, 0));
  EXPECT_FALSE(is_left_open(Held(with_sink, "empty_rows=mean").forward().out(0, 0, 0, 0)));
  EXPECT_TRUE(is_left_open(Held(with_sink, "empty_rows=undefined").forward().out(0, 0, 0, 0)));
  const Held none(with_sink, "empty_rows=nan", [](Inputs& inputs) { inputs.sink->view().set(0, 0, 0, 0, -infinity); });
  EXPECT_TRUE(takes_nan(none.forward(), 0, 0, 0, 0)) << "a sink of -infinity is none";
}

TEST(ByConvention, ABiasOfMinusInfinityMakesRowsEmptyToo) {
  const Held held("shape=1x1x2x3x4 score=bias:pair", "empty_rows=nan", [](Inputs& inputs) {
    for (index j = 0; j < 3; ++j) inputs.bias->view().set(0, 0, 1, j, -infinity);
  });
  EXPECT_FALSE(takes_nan(held.forward(), 0, 0, 0, 0));
  EXPECT_TRUE(takes_nan(held.forward(), 0, 0, 1, 0));
}

TEST(ByConvention, MeansAndWhatIsUndefinedAreLeftOpenInTheirRowsAlone) {
  for (const char* conventions : {"empty_rows=mean", "empty_rows=undefined"}) {
    const Truth truth = Held(half_blind, conventions).forward();
    EXPECT_TRUE(is_left_open(truth.out(0, 0, 0, 3))) << conventions;
    EXPECT_TRUE(is_left_open(truth.log_sum_exp(0, 0, 0))) << conventions;
    EXPECT_FALSE(is_left_open(truth.out(0, 0, 1, 3))) << conventions;
    EXPECT_FALSE(is_left_open(truth.log_sum_exp(0, 0, 1))) << conventions;
  }
}

TEST(ByConvention, EmptyRowsSendToTheirOwnKvHead) {
  // Queries of the second sequence see keys; heads 0 and 1 share kv head 0.
  const char* const problem = "shape=2x4/2x3x4x4 lengths=0+4 pass=forward+backward";
  const GradientTruth of_nan = Held(problem, "empty_rows=nan").backward();
  const GradientTruth of_mean = Held(problem, "empty_rows=mean").backward();
  const GradientTruth undefined = Held(problem, "empty_rows=undefined").backward();
  for (const GradientTruth* truth : {&of_nan, &of_mean, &undefined}) {
    EXPECT_TRUE(takes_nan(truth->query.at(0, 1, 0, 0)));
    EXPECT_TRUE(takes_nan(truth->key.at(0, 0, 2, 3)));
    EXPECT_TRUE(takes_nan(truth->value.at(0, 1, 3, 1)));
    EXPECT_FALSE(takes_nan(truth->query.at(1, 1, 0, 0)));
    EXPECT_FALSE(takes_nan(truth->key.at(1, 0, 2, 3)));
    EXPECT_FALSE(takes_nan(truth->value.at(1, 1, 3, 1)));
  }
  EXPECT_FALSE(is_left_open(of_nan.query.at(0, 1, 0, 0)));
  EXPECT_TRUE(is_left_open(of_mean.query.at(0, 1, 0, 0)));
  EXPECT_TRUE(is_left_open(undefined.query.at(0, 1, 0, 0)));
  EXPECT_TRUE(is_left_open(of_mean.value.at(0, 1, 3, 1)));
  EXPECT_FALSE(is_left_open(undefined.value.at(0, 1, 3, 1)));
}

// Key 3 is hidden from query 0 and 1, and seen by query 2 and 3.
const char* const staircase = "shape=2x2/1x4x5x4 mask=causal pass=forward+backward";

TEST(ByConvention, HiddenNanInVSpreadsInItsChannel) {
  const auto spoil = [](Inputs& inputs) { inputs.value.view().set(0, 0, 3, 2, nan); };
  const Truth truth = Held(staircase, "hidden_nonfinite=propagates", spoil).forward();
  for (index h = 0; h < 2; ++h)
    for (index i = 0; i < 2; ++i)
      for (index c = -1; c < 4; ++c) EXPECT_EQ(takes_nan(truth, 0, h, i, c), c == 2) << h << i << c;
  for (index c = -1; c < 4; ++c) EXPECT_FALSE(takes_nan(truth, 1, 0, 0, c)) << "another sequence";
  const Truth ignored = Held(staircase, "", spoil).forward();
  EXPECT_FALSE(takes_nan(ignored, 0, 0, 0, 2));
}

TEST(ByConvention, WhatARowSeesIsForTheRulesToSay) {
  const auto spoil = [](Inputs& inputs) { inputs.value.view().set(0, 0, 3, 2, infinity); };
  const Truth truth = Held(staircase, "hidden_nonfinite=propagates", spoil).forward();
  EXPECT_TRUE(takes_nan(truth, 0, 0, 1, 2)) << "hidden";
  EXPECT_FALSE(takes_nan(truth, 0, 0, 2, 2)) << "seen: infinite, and nothing else";
}

TEST(ByConvention, RowsThatARaggedLayoutDoesNotStoreSendNothing) {
  const char* const ragged = "shape=2x1x3x3x4 lengths=3+2 query_lengths=3+1 layout=ragged pass=forward+backward";
  const char* const padded = "shape=2x1x3x3x4 lengths=3+2 query_lengths=3+1 pass=forward+backward";
  EXPECT_FALSE(takes_nan(Held(ragged, "empty_rows=nan").backward().key.at(1, 0, 0, 0)));
  EXPECT_TRUE(takes_nan(Held(padded, "empty_rows=nan").backward().key.at(1, 0, 0, 0)));
  EXPECT_TRUE(takes_nan(Held(ragged, "empty_rows=nan").forward(), 1, 0, 2, 0)) << "for who packs them";
}

TEST(ByConvention, HiddenInfinityInKSpreadsEverywhereInTheRow) {
  const auto spoil = [](Inputs& inputs) { inputs.key.view().set(0, 0, 3, 2, infinity); };
  const Truth truth = Held(staircase, "hidden_nonfinite=propagates", spoil).forward();
  for (index c = -1; c < 4; ++c) EXPECT_TRUE(takes_nan(truth, 0, 1, 1, c)) << c;
  EXPECT_EQ(element_error(infinity, truth.log_sum_exp(0, 1, 1), 0, dtype("f32"), truth.admissible(0, 1, 1, -1)), 0);
  const double right = truth.out(0, 1, 1, 0).value;
  EXPECT_NEAR(element_error(right + 1, truth.out(0, 1, 1, 0), 0, dtype("f32"), truth.admissible(0, 1, 1, 0)), 1, 1e-9)
      << "numbers are judged as ever";
}

TEST(ByConvention, MaxLogitsGoWithLogSumExp) {
  // Query 0 sees no key, query 1 sees key 0.
  const char* const asked = "shape=1x1x3x2x4 mask=causal wants=out+log_sum_exp+max_logits";
  const Truth of_nan = Held(asked, "empty_rows=nan").forward();
  EXPECT_TRUE(takes_nan(of_nan, 0, 0, 0, max_logits_channel));
  EXPECT_EQ(of_nan.max_logits(0, 0, 0).value, -infinity);
  EXPECT_FALSE(takes_nan(of_nan, 0, 0, 1, max_logits_channel));
  for (const char* conventions : {"empty_rows=mean", "empty_rows=undefined"}) {
    const Truth truth = Held(asked, conventions).forward();
    EXPECT_TRUE(is_left_open(truth.max_logits(0, 0, 0)) && !is_left_open(truth.max_logits(0, 0, 1))) << conventions;
  }
  const auto spoil_key = [](Inputs& inputs) { inputs.key.view().set(0, 0, 1, 0, infinity); };
  const auto spoil_value = [](Inputs& inputs) { inputs.value.view().set(0, 0, 1, 0, nan); };
  EXPECT_TRUE(takes_nan(Held(asked, "hidden_nonfinite=propagates", spoil_key).forward(), 0, 0, 1, max_logits_channel));
  EXPECT_FALSE(
      takes_nan(Held(asked, "hidden_nonfinite=propagates", spoil_value).forward(), 0, 0, 1, max_logits_channel));
  EXPECT_FALSE(takes_nan(Held(asked, "", spoil_key).forward(), 0, 0, 1, max_logits_channel));
  const Certified natural = Held(asked, "").forward().max_logits(0, 0, 2);
  const Certified read = Held(asked, "lse=log2").forward().max_logits(0, 0, 2);
  EXPECT_EQ(read.bound, natural.bound + 0x1p-52 * std::abs(natural.value)) << "multiplied by ln 2 in double";
  EXPECT_EQ(Held(asked, "outputs=out").forward().max_logits(0, 0, 2).bound, natural.bound);
}

TEST(ByConvention, QueriesThatAreNotFiniteMakeNanOfHiddenScores) {
  const auto spoil = [](Inputs& inputs) {
    inputs.query.view().set(0, 0, 0, 1, infinity), inputs.query.view().set(0, 0, 2, 1, infinity);
  };
  const char* const last_sees_all = "shape=1x1x3x2x4 mask=causal";
  const Truth truth = Held(last_sees_all, "hidden_nonfinite=propagates", spoil).forward();
  EXPECT_TRUE(takes_nan(truth, 0, 0, 0, 0) && takes_zero(truth, 0, 0, 0, 0)) << "no key, or infinity - infinity";
  EXPECT_FALSE(takes_nan(truth, 0, 0, 1, 0)) << "a finite query";
  EXPECT_FALSE(takes_nan(Held(last_sees_all, "", spoil).forward(), 0, 0, 0, 0));
}

TEST(ByConvention, HiddenNanSpreadsInTheBackwardPassOfItsKvHead) {
  const auto spoil = [](Inputs& inputs) { inputs.value.view().set(0, 0, 4, 2, nan); };  // seen by query 3 alone
  const GradientTruth truth = Held(staircase, "hidden_nonfinite=propagates", spoil).backward();
  for (index i = 0; i < 3; ++i) EXPECT_TRUE(takes_nan(truth.query.at(0, 1, i, 0))) << i;
  EXPECT_TRUE(takes_nan(truth.key.at(0, 0, 0, 0)) && takes_nan(truth.value.at(0, 0, 0, 0)));
  EXPECT_FALSE(takes_nan(truth.query.at(1, 1, 0, 0)));
  EXPECT_FALSE(takes_nan(truth.key.at(1, 0, 0, 0)));
}

TEST(ByConvention, WithoutLogSumExpItIsLeftOpenAndOutIsNot) {
  const Truth truth = Held(half_blind, "outputs=out").forward();
  for (index i = 0; i < 3; ++i) {
    EXPECT_TRUE(is_left_open(truth.log_sum_exp(0, 0, i)));
    EXPECT_FALSE(is_left_open(truth.out(0, 0, i, 0)));
  }
}

}  // namespace
}  // namespace attestone
