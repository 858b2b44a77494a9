// SPDX-License-Identifier: Apache-2.0
// Every step of the ladder gives the answer of the step before, up to the roundings of double.
#include <Random123/philox.h>
#include <array>
#include <gtest/gtest.h>

#include "reference/attention/1_definition.hpp"
#include "reference/attention/2_stable.hpp"
#include "reference/attention/3_online.hpp"
#include "reference/attention/4_tiled.hpp"
#include "reference/attention/5_split_and_merge.hpp"
#include "reference/attention/operands.hpp"
#include "reference/partial.hpp"
#include "tests/effort.hpp"
#include "tests/random_problem.hpp"
#include "tests/reference/attention/close.hpp"

namespace attestone {
namespace {

constexpr std::array<std::string_view, 3> formats{"f32", "bf16", "f64"};

/// Every step has the same conventions for sinks, so they are held against the formula once, by hand.
TEST(Ladder, ASinkTakesMassAndHasNoValue) {
  RandomCall call(parse_problem("shape=1x1x2x2x1 mask=~full|dense:0 score=sink:head dtype=f64"));
  call.inputs.sink->view().set(0, 0, 0, 0, 5);
  for (const auto step : {attention_by_definition, stable_attention, online_attention}) {
    const Answer empty = step(call.problem, call.inputs);
    EXPECT_EQ(empty.out(0, 0, 1)[0], 0);
    EXPECT_DOUBLE_EQ(empty.log_sum_exp(0, 0, 1), 5);
  }
  RandomCall half(parse_problem("shape=1x1x1x1x1 score=sink:head dtype=f64"));
  half.inputs.query.view().set(0, 0, 0, 0, 0);
  half.inputs.sink->view().set(0, 0, 0, 0, std::log(3.0));
  half.inputs.value.view().set(0, 0, 0, 0, 8);
  const Answer answer = attention_by_definition(half.problem, half.inputs);
  EXPECT_DOUBLE_EQ(answer.out(0, 0, 0)[0], 2);
  EXPECT_DOUBLE_EQ(answer.log_sum_exp(0, 0, 0), std::log(4.0));
}

TEST(Ladder, ASinkIsCountedOnceHoweverTheKeysAreCut) {
  std::mt19937_64 random(6);
  for (index n = 0; n < effort(100, 3000); ++n) {
    const Problem drawn = random_problem(random, formats);
    Problem problem = drawn;
    if (!problem.score.has_sink()) problem.score.add({"sink", 0, "head"});
    problem.shape.queries = std::min<index>(problem.shape.queries, 2);
    problem.layout = "bhsd", problem.query_lengths.clear();
    const RandomCall call(problem);
    const Operands operands(problem, call.inputs);
    const Answer whole = stable_attention(problem, call.inputs);
    for_each_row(problem.shape, [&](index b, index h, index i) {
      const auto part = [&](index first, index end) {
        Partial known(problem.shape.value_dim);
        for (Pair pair{b, h, i, first}; pair.key < end; ++pair.key)
          if (operands.visible(pair))
            known.merge(Partial::of_key(operands.score(pair), operands.value(pair), operands.dropout(pair)));
        return known;
      };
      const Partial sink = Partial::of_sink(operands.sink(h), problem.shape.value_dim);
      for (index cut = 0; cut <= problem.shape.keys; ++cut) {
        const Partial all = merged(merged(part(0, cut), sink), part(cut, problem.shape.keys));
        ASSERT_NEAR(all.log_sum_exp(), whole.log_sum_exp(b, h, i), roundings) << cut << " " << problem.text();
        for (std::size_t c = 0; c < all.out().size(); ++c)
          ASSERT_NEAR(all.out()[c], whole.out(b, h, i)[c], roundings) << cut << " " << problem.text();
      }
    });
  }
}

TEST(Ladder, DropoutKeepsWhatPhiloxSays) {
  // Three keys of equal weight and values 1, 10, 100: the answer spells which pairs are kept, each twice a third.
  RandomCall call(parse_problem("shape=2x2x3x3x1 dropout=0.5 dtype=f64 seed=12345678901"));
  for_each_element(call.inputs.query.view(), [&](index b, index h, index r, index c) {
    call.inputs.query.view().set(b, h, r, c, 0);
    call.inputs.value.view().set(b, h, r, c, std::pow(10.0, static_cast<double>(r)));
  });
  const r123::Philox4x32::key_type key{{static_cast<std::uint32_t>(12345678901), 12345678901 >> 32}};
  for (const auto step : {attention_by_definition, stable_attention, online_attention}) {
    const Answer answer = step(call.problem, call.inputs);
    for_each_row(call.problem.shape, [&](index b, index h, index i) {
      double want = 0;
      for (std::uint32_t j = 0; j < 3; ++j) {
        const auto word = [](index n) { return static_cast<std::uint32_t>(n); };
        const bool kept = r123::Philox4x32()({{word(b), word(h), word(i), j}}, key)[0] >= 1u << 31;
        if (kept) want += 2.0 / 3 * std::pow(10.0, j);
      }
      EXPECT_NEAR(answer.out(b, h, i)[0], want, 0x1p-40);
      EXPECT_NEAR(answer.log_sum_exp(b, h, i), std::log(3.0), 0x1p-50);
    });
  }
}

TEST(Ladder, DropoutThatDropsNothingChangesNothing) {
  // floor(rate 2^32) is 0 for a rate of 2^-33: every pair is kept, and its factor differs from 1 by 2^-33.
  std::mt19937_64 random(7);
  for (index n = 0; n < effort(50, 2000); ++n) {
    Problem problem = random_problem(random, formats);
    problem.dropout = 0;
    const RandomCall call(problem);
    const Answer without = stable_attention(problem, call.inputs);
    problem.dropout = 0x1p-33;
    const Answer with = stable_attention(problem, call.inputs);
    for_each_row(problem.shape, [&](index b, index h, index i) {
      EXPECT_EQ(with.log_sum_exp(b, h, i), without.log_sum_exp(b, h, i)) << problem.text();
      for (std::size_t c = 0; c < with.out(b, h, i).size(); ++c)
        EXPECT_NEAR(with.out(b, h, i)[c], without.out(b, h, i)[c], 0x1p-29) << problem.text();
    });
  }
}

TEST(Ladder, EveryStepAgreesWithTheOneBefore) {
  std::mt19937_64 random(1);
  for (index n = 0; n < effort(300, 20000); ++n) {
    const RandomCall call(random_problem(random, formats));
    const Problem& problem = call.problem;
    const Answer stable = stable_attention(problem, call.inputs);
    expect_close(attention_by_definition(problem, call.inputs), stable, problem);
    expect_close(online_attention(problem, call.inputs), stable, problem);
    for (const index block : {1, 3, 64})
      expect_close(tiled_attention(problem, call.inputs, block, block), stable, problem);
    for (const index parts : {1, 2, 7}) expect_close(split_attention(problem, call.inputs, parts), stable, problem);
  }
}

TEST(Ladder, AnswersByHand) {
  // Two keys with scores 0 and ln 3: weights 1/4 and 3/4, and a denominator of 4. The first query sees one of them.
  RandomCall call(parse_problem("shape=1x1x2x2x1 mask=causal scale=1 dtype=f64"));
  call.inputs.query.view().set(0, 0, 0, 0, 1);
  call.inputs.query.view().set(0, 0, 1, 0, std::log(3.0));
  call.inputs.key.view().set(0, 0, 0, 0, 0);
  call.inputs.key.view().set(0, 0, 1, 0, 1);
  call.inputs.value.view().set(0, 0, 0, 0, 8);
  call.inputs.value.view().set(0, 0, 1, 0, 16);
  const Answer answer = attention_by_definition(call.problem, call.inputs);
  EXPECT_EQ(answer.out(0, 0, 0)[0], 8);
  EXPECT_EQ(answer.log_sum_exp(0, 0, 0), 0);
  EXPECT_DOUBLE_EQ(answer.out(0, 0, 1)[0], 14);
  EXPECT_DOUBLE_EQ(answer.log_sum_exp(0, 0, 1), std::log(4.0));
}

TEST(Ladder, OnlyTheDefinitionOverflows) {
  RandomCall call(parse_problem("shape=1x1x1x2x1 scale=1 dtype=f64"));
  constexpr double large_score = 1000;
  call.inputs.query.view().set(0, 0, 0, 0, 1);
  for (const index key : {0, 1}) call.inputs.key.view().set(0, 0, key, 0, large_score);
  EXPECT_TRUE(std::isinf(attention_by_definition(call.problem, call.inputs).log_sum_exp(0, 0, 0)));
  for (const auto step : {stable_attention, online_attention})
    EXPECT_EQ(step(call.problem, call.inputs).log_sum_exp(0, 0, 0), large_score + std::log(2.0));
}

TEST(Ladder, WhatIsHiddenStaysHidden) {
  RandomCall call(parse_problem("shape=1x2x5x5x3 mask=causal"));
  const Answer clean = stable_attention(call.problem, call.inputs);
  constexpr index poisoned = 3;
  for (index head = 0; head < 2; ++head)
    for (index c = 0; c < 3; ++c)
      for (Tensor* tensor : {&call.inputs.key, &call.inputs.value})
        tensor->view().set(0, head, poisoned, c, std::numeric_limits<double>::quiet_NaN());
  const std::array<Answer, 5> answers{
      attention_by_definition(call.problem, call.inputs), stable_attention(call.problem, call.inputs),
      online_attention(call.problem, call.inputs), tiled_attention(call.problem, call.inputs),
      split_attention(call.problem, call.inputs)};
  for (const Answer& answer : answers)
    for (index head = 0; head < 2; ++head)
      for (index query = 0; query < 5; ++query) {
        const double o = answer.out(0, head, query)[0];
        EXPECT_EQ(std::isnan(o), query >= poisoned);
        if (query < poisoned) {
          EXPECT_NEAR(o, clean.out(0, head, query)[0], 0x1p-45);
        }
      }
}

}  // namespace
}  // namespace attestone
