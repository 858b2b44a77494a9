// SPDX-License-Identifier: Apache-2.0
// A ragged batch is a loop over sequences: padding, neighbours and the layout change nothing.
#include <array>
#include <gtest/gtest.h>

#include "reference/attention/2_stable.hpp"
#include "reference/attention/7_ragged.hpp"
#include "reference/attention/operands.hpp"
#include "tests/effort.hpp"
#include "tests/random_problem.hpp"
#include "tests/reference/attention/close.hpp"

namespace attestone {
namespace {

constexpr std::array<std::string_view, 2> formats{"f32", "f64"};

/// Copies the elements of sequence `batch` that exist in both to sequence 0 of `to`, or to the same one.
void copy(const Tensor& from, Tensor& to, index from_batch, index to_batch) {
  const View target = to.view();
  for_each_element(target, [&](index b, index h, index r, index c) {
    if (b == to_batch) target.set_code(b, h, r, c, from.view().code(from_batch, h, r, c));
  });
}

/// A random problem with lengths for every sequence, in the padded layout.
Problem padded_problem(std::mt19937_64& random) {
  Problem problem = random_problem(random, formats);
  problem.layout = "bhsd";
  problem.lengths.clear(), problem.query_lengths.clear();
  for (index b = 0; b < problem.shape.batch; ++b) {
    problem.lengths.push_back(static_cast<index>(random() % static_cast<std::uint64_t>(problem.shape.keys + 1)));
    problem.query_lengths.push_back(
        static_cast<index>(random() % static_cast<std::uint64_t>(problem.shape.queries + 1)));
  }
  return problem;
}

TEST(Ragged, TheLayoutDoesNotMatter) {
  std::mt19937_64 random(1);
  for (index n = 0; n < effort(150, 5000); ++n) {
    Problem problem = padded_problem(random);
    const RandomCall padded(problem);
    problem.layout = "ragged";
    Inputs inputs(problem);
    for (index b = 0; b < problem.shape.batch; ++b) {
      copy(padded.inputs.query, inputs.query, b, b);
      copy(padded.inputs.key, inputs.key, b, b);
      copy(padded.inputs.value, inputs.value, b, b);
    }
    inputs.bias = std::optional(padded.inputs.bias), inputs.sink = std::optional(padded.inputs.sink);
    const Answer want = stable_attention(padded.problem, padded.inputs), got = stable_attention(problem, inputs);
    for_each_row(problem.shape, [&](index b, index h, index i) {
      ASSERT_EQ(got.log_sum_exp(b, h, i), want.log_sum_exp(b, h, i)) << problem.text();
      ASSERT_TRUE(std::ranges::equal(got.out(b, h, i), want.out(b, h, i))) << problem.text();
    });
  }
}

TEST(Ragged, EveryRowIsThatOfThePaddedBatch) {
  std::mt19937_64 random(2);
  for (index n = 0; n < effort(150, 5000); ++n) {
    const RandomCall call(padded_problem(random));
    const Problem& problem = call.problem;
    const Answer want = stable_attention(problem, call.inputs);
    const RaggedAnswer got = ragged_attention(problem, call.inputs);
    index rows = 0;
    for (index b = 0; b < problem.shape.batch; ++b)
      for (index i = 0; i < problem.sequence(b).queries; ++i, ++rows)
        for (index h = 0; h < problem.shape.heads; ++h) {
          const double L = got.log_sum_exp(0, h, rows)[0];
          ASSERT_TRUE(L == want.log_sum_exp(b, h, i) || std::abs(L - want.log_sum_exp(b, h, i)) <= roundings)
              << problem.text();
          for (std::size_t c = 0; c < want.out(b, h, i).size(); ++c)
            ASSERT_NEAR(got.out(0, h, rows)[c], want.out(b, h, i)[c], roundings) << problem.text();
        }
    EXPECT_EQ(rows, got.starts.back());
  }
}

/// Draws for a sequence follow from its number, so only masks by formula are the same for a sequence alone.
TEST(Ragged, ASequenceAloneAnswersTheSame) {
  std::mt19937_64 random(3);
  for (index n = 0; n < effort(150, 5000); ++n) {
    Problem problem = padded_problem(random);
    problem.mask = parse_problem("shape=1x1x1x1x1 mask=causal|needle:3&~window:2:1").mask;
    problem.dropout = 0;
    problem.score = problem.score.without("bias");
    const RandomCall call(problem);
    const RaggedAnswer together = ragged_attention(problem, call.inputs);
    for (index b = 0; b < problem.shape.batch; ++b) {
      Problem alone = problem;
      alone.shape.batch = 1;
      alone.shape.queries = problem.sequence(b).queries, alone.shape.keys = problem.sequence(b).keys;
      alone.lengths.clear(), alone.query_lengths.clear();
      Inputs inputs(alone);
      copy(call.inputs.query, inputs.query, b, 0);
      copy(call.inputs.key, inputs.key, b, 0);
      copy(call.inputs.value, inputs.value, b, 0);
      inputs.sink = std::optional(call.inputs.sink);
      const RaggedAnswer own = ragged_attention(alone, inputs);
      for (index i = 0; i < alone.shape.queries; ++i)
        for (index h = 0; h < problem.shape.heads; ++h) {
          const index row = together.starts[static_cast<std::size_t>(b)] + i;
          ASSERT_EQ(together.log_sum_exp(0, h, row)[0], own.log_sum_exp(0, h, i)[0]) << problem.text();
          ASSERT_TRUE(std::ranges::equal(together.out(0, h, row), own.out(0, h, i))) << problem.text();
        }
    }
  }
}

}  // namespace
}  // namespace attestone
