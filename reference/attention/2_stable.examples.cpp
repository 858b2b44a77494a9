// SPDX-License-Identifier: Apache-2.0
// Step 2 of the ladder in examples: only differences of scores matter, so the largest may be taken for zero.
#include "reference/attention/2_stable.hpp"

#include <cmath>

#include "reference/attention/1_definition.hpp"
#include "reference/attention/worked_example.hpp"

namespace attestone {
namespace {

TEST_CASE("where the definition overflows, the shifted sums do not") {
  const WorkedExample hot({{1}}, {{1000}, {1000}}, {{4}, {6}});
  const Answer answer = stable_attention(hot.problem, hot.inputs);
  CHECK(answer.out(0, 0, 0)[0] == 5);
  CHECK(answer.log_sum_exp(0, 0, 0) == about(1000 + std::log(2)));
}

TEST_CASE("what is added to every score leaves O alone and moves log_sum_exp") {
  const Numbers query{{1}}, value{{1}, {2}, {4}};
  const WorkedExample here(query, {{0}, {1}, {2}}, value), there(query, {{100}, {101}, {102}}, value);
  const Answer before = stable_attention(here.problem, here.inputs),
               after = stable_attention(there.problem, there.inputs);
  CHECK(after.out(0, 0, 0)[0] == before.out(0, 0, 0)[0]);
  CHECK(after.log_sum_exp(0, 0, 0) == about(before.log_sum_exp(0, 0, 0) + 100));
}

TEST_CASE("a weight that underflows was smaller than any rounding of the answer") {
  const WorkedExample steep({{1}}, {{0}, {-1000}}, {{5}, {1e300}});
  const Answer answer = stable_attention(steep.problem, steep.inputs);
  CHECK(answer.out(0, 0, 0)[0] == 5);
  CHECK(answer.log_sum_exp(0, 0, 0) == 0);
}

TEST_CASE("where the definition works, both say the same") {
  const WorkedExample mild({{1, 2}, {-1, 3}}, {{1, 0}, {0, 1}, {2, -1}}, {{3}, {-1}, {2}}, "score=softcap:2");
  const Answer defined = attention_by_definition(mild.problem, mild.inputs);
  const Answer stable = stable_attention(mild.problem, mild.inputs);
  for (const index query : {0, 1}) CHECK(stable.out(0, 0, query)[0] == about(defined.out(0, 0, query)[0]));
}

}  // namespace
}  // namespace attestone
