// SPDX-License-Identifier: Apache-2.0
// Every step of the ladder gives the answer of the step before, up to the roundings of double.
#include <array>
#include <gtest/gtest.h>

#include "reference/attention/11_ring.hpp"
#include "reference/attention/1_definition.hpp"
#include "reference/attention/2_stable.hpp"
#include "reference/attention/3_online.hpp"
#include "reference/attention/4_tiled.hpp"
#include "reference/attention/5_split_and_merge.hpp"
#include "tests/effort.hpp"
#include "tests/random_problem.hpp"
#include "tests/reference/attention/close.hpp"

namespace attestone {
namespace {

constexpr std::array<std::string_view, 3> formats{"f32", "bf16", "f64"};

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
    for (const index parts : {1, 2, 7}) {
      expect_close(split_attention(problem, call.inputs, parts), stable, problem);
      expect_close(ring_attention(problem, call.inputs, parts), stable, problem);
    }
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
