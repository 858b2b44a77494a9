// SPDX-License-Identifier: Apache-2.0
// Step 1 of the ladder in examples: what an average with exponential weights does, and where it breaks.
#include "reference/attention/1_definition.hpp"

#include <cmath>

#include "reference/attention/worked_example.hpp"

namespace attestone {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("one key: the answer is its value, and log_sum_exp is its score") {
  const WorkedExample one({{2}}, {{3}}, {{5, -1}});
  const Answer answer = attention_by_definition(one.problem, one.inputs);
  CHECK(answer.out(0, 0, 0)[0] == 5);
  CHECK(answer.out(0, 0, 0)[1] == -1);
  CHECK(answer.log_sum_exp(0, 0, 0) == about(2 * 3));
}

TEST_CASE("equal scores: the answer is the mean, and log_sum_exp counts the keys") {
  const WorkedExample tied({{0}}, {{7}, {-3}, {1}, {2}}, {{1}, {2}, {3}, {6}});
  const Answer answer = attention_by_definition(tied.problem, tied.inputs);
  CHECK(answer.out(0, 0, 0)[0] == 3);
  CHECK(answer.log_sum_exp(0, 0, 0) == about(std::log(4)));
}

TEST_CASE("a score that is larger by ln 3 weighs three times as much") {
  const WorkedExample two({{1}}, {{0}, {std::log(3)}}, {{0}, {8}});
  const Answer answer = attention_by_definition(two.problem, two.inputs);
  CHECK(answer.out(0, 0, 0)[0] == about((1 * 0 + 3 * 8) / 4.0));
  CHECK(answer.log_sum_exp(0, 0, 0) == about(std::log(1 + 3)));
}

TEST_CASE("a query that sees no key answers 0, with log_sum_exp = -infinity") {
  // Three queries stand at the last of two keys: the first of them comes before every key.
  const WorkedExample causal({{1}, {1}, {1}}, {{0}, {0}}, {{4}, {6}}, "mask=causal");
  const Answer answer = attention_by_definition(causal.problem, causal.inputs);
  CHECK(answer.out(0, 0, 0)[0] == 0);
  CHECK(answer.log_sum_exp(0, 0, 0) == -infinity);
  CHECK(answer.out(0, 0, 1)[0] == 4);
  CHECK(answer.out(0, 0, 2)[0] == 5);
}

TEST_CASE("a sink takes its share of the weight, and gives nothing") {
  WorkedExample with_sink({{0}}, {{1}}, {{6}}, "score=sink:head");
  with_sink.inputs.sink->view().set(0, 0, 0, 0, std::log(2));
  const Answer answer = attention_by_definition(with_sink.problem, with_sink.inputs);
  CHECK(answer.out(0, 0, 0)[0] == about(6 * 1 / (1 + 2.0)));
  CHECK(answer.log_sum_exp(0, 0, 0) == about(std::log(1 + 2)));
}

TEST_CASE("above a score of 709 the definition overflows: infinity / infinity") {
  const WorkedExample hot({{1}}, {{710}}, {{5}});
  CHECK(std::isnan(attention_by_definition(hot.problem, hot.inputs).out(0, 0, 0)[0]));
}

}  // namespace
}  // namespace attestone
