// SPDX-License-Identifier: Apache-2.0
// A sink takes mass once and has no value; dropout touches P V only, where Philox says so.
#include <Random123/philox.h>
#include <array>
#include <gtest/gtest.h>

#include "reference/attention/1_definition.hpp"
#include "reference/attention/2_stable.hpp"
#include "reference/attention/3_online.hpp"
#include "reference/attention/operands.hpp"
#include "reference/call/partial.hpp"
#include "tests/effort.hpp"
#include "tests/random_problem.hpp"
#include "tests/reference/attention/close.hpp"

namespace attestone {
namespace {

constexpr std::array<std::string_view, 3> formats{"f32", "bf16", "f64"};

TEST(Sink, TakesMassAndHasNoValue) {
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

TEST(Sink, IsCountedOnceHoweverTheKeysAreCut) {
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

TEST(Dropout, KeepsWhatPhiloxSays) {
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

TEST(Dropout, ThatDropsNothingChangesNothing) {
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

}  // namespace
}  // namespace attestone
