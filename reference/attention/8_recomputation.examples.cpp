// SPDX-License-Identifier: Apache-2.0
// Step 8 of the ladder in examples: log_sum_exp brings the weights back, and so the gradients.
#include "reference/attention/8_recomputation.hpp"

#include <cmath>

#include "reference/attention/2_stable.hpp"
#include "reference/attention/6_backward.hpp"
#include "reference/attention/worked_example.hpp"

namespace attestone {
namespace {

WorkedExample four_keys() {
  WorkedExample example({{1}, {-1}, {0.5}}, {{1}, {3}, {2}, {0}}, {{5}, {-6}, {7}, {1}},
                        "mask=causal pass=forward+backward");
  write(example.inputs.dout->view(), {{1}, {2}, {-3}});
  return example;
}

TEST_CASE("a weight is e^(s - L): no maximum, no sum") {
  const WorkedExample two({{1}}, {{0}, {std::log(3)}}, {{0}, {8}});
  const Answer answer = stable_attention(two.problem, two.inputs);
  const double larger = std::exp(std::log(3) - answer.log_sum_exp(0, 0, 0));
  CHECK(larger == about(3 / 4.0));
  CHECK(answer.out(0, 0, 0)[0] == about(larger * 8));
}

TEST_CASE("tiles of every size give the gradients of step 6") {
  const WorkedExample four = four_keys();
  const Answer answer = stable_attention(four.problem, four.inputs);
  const Gradient whole = attention_gradient(four.problem, four.inputs);
  for (const index block : {1, 2, 3, 8}) {
    CAPTURE(block);
    const Gradient tiled = recomputed_gradient(four.problem, four.inputs, answer, block, block);
    for (const index key : {0, 1, 2, 3}) {
      CHECK(tiled.key(0, 0, key)[0] == about(whole.key(0, 0, key)[0]));
      CHECK(tiled.value(0, 0, key)[0] == about(whole.value(0, 0, key)[0]));
    }
    for (const index query : {0, 1, 2}) CHECK(tiled.query(0, 0, query)[0] == about(whole.query(0, 0, query)[0]));
  }
}

TEST_CASE("a log_sum_exp that is wrong by ln 2 makes every weight wrong by 2") {
  const WorkedExample four = four_keys();
  Answer answer = stable_attention(four.problem, four.inputs);
  const double right = recomputed_gradient(four.problem, four.inputs, answer).value(0, 0, 0)[0];
  for (const index query : {0, 1, 2}) answer.log_sum_exp(0, 0, query) -= std::log(2);
  CHECK(recomputed_gradient(four.problem, four.inputs, answer).value(0, 0, 0)[0] == about(2 * right));
}

}  // namespace
}  // namespace attestone
